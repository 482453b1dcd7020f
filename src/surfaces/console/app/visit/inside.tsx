import { useState } from 'react';
import type { VisitOutput } from '../../../client/visit.ts';
import { Button } from '../kit/button.tsx';
import { counted } from '../kit/numbers.ts';
import { plain } from '../kit/text.ts';
import { Time } from '../kit/time.tsx';
import { readAgain } from './access.ts';
import { Conversation } from './conversation.tsx';
import css from './visit.module.css';

type Visit = VisitOutput<'getVisit'>;

/** The study with one conversation of the visitor: the latest, until another is selected. */
export function Inside({ visit: { study, sessions, problem } }: { visit: Visit }) {
  const [chosen, setChosen] = useState({ nth: 0, begunAs: sessions[0]?.id });
  const [current, setCurrent] = useState(chosen.begunAs);
  const [listed, setListed] = useState(false);
  const choose = (begunAs: string | undefined): void => {
    setChosen(({ nth }) => ({ nth: nth + 1, begunAs }));
    setCurrent(begunAs);
    setListed(false);
  };
  const others = sessions.filter(({ id }) => id !== current);
  return (
    <div className={css.page}>
      <title>{plain(study.name)}</title>
      <header className={css.head}>
        <div className={css.column}>
          <h1 dir="auto">{study.name}</h1>
          <div className={css.actions}>
            {others.length > 0 && (
              <Button variant="quiet" aria-expanded={listed} onClick={() => setListed(!listed)}>
                Earlier
              </Button>
            )}
            <Button disabled={current === undefined} onClick={() => choose(undefined)}>
              New conversation
            </Button>
          </div>
        </div>
        {listed && (
          <nav className={css.column} aria-label="Earlier conversations">
            <ul className={css.earlier}>
              {others.map(({ id, title, messageCount, lastActivityAt }) => (
                <li key={id}>
                  <button type="button" onClick={() => choose(id)}>
                    <span dir="auto">{title}</span>
                    <small>
                      {counted(messageCount, 'message')}, <Time at={lastActivityAt} />
                    </small>
                  </button>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </header>
      <Conversation
        key={chosen.nth}
        begunAs={chosen.begunAs}
        asksFirst={study.requireToolApproval}
        problem={problem}
        onTurn={(sessionId) => {
          setCurrent(sessionId);
          void readAgain();
        }}
        onNew={() => choose(undefined)}
      />
    </div>
  );
}
