import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { classes } from '../kit/classes.ts';
import { LimitedList } from '../kit/limited-list.tsx';
import { LongText } from '../kit/long-text.tsx';
import { Skeleton } from '../kit/notice.tsx';
import { StateMark } from '../kit/state.tsx';
import { readAgain } from './access.ts';
import { CallRow } from './calls.tsx';
import { Composer } from './composer.tsx';
import { Feedback } from './feedback.tsx';
import { type Exchange, endsConversation, isOpen, type Turn, wordsFor } from './turns.ts';
import { useConversation } from './use-conversation.ts';
import css from './visit.module.css';

type Talk = ReturnType<typeof useConversation>;

/** Characters of a message rendered initially. */
const maxAtFirst = 20_000;
/** Distance from the end, in pixels, within which the reader counts as following. */
const near = 160;

/** A conversation: its messages, the current turn, and the composer. */
export function Conversation({
  begunAs,
  asksFirst,
  problem,
  onTurn,
  onNew,
}: {
  begunAs: string | undefined;
  /** Whether tool calls need the visitor's approval. */
  asksFirst: boolean;
  /** Why chatting is unavailable. */
  problem: string | null;
  onTurn: (sessionId: string) => void;
  onNew: () => void;
}) {
  const talk = useConversation(begunAs, onTurn);
  const { sessionId, session, turns, live, exchanges } = talk;
  const [draft, setDraft] = useState('');
  const busy = live !== undefined && isOpen(live);
  const main = useFollow(turns, exchanges.length);
  const loading = begunAs !== undefined && !session;
  const over = live ? endsConversation(live) : session?.goesOn === false;
  const rated = sessionId !== undefined && !busy && (exchanges.length > 0 || live?.state === 'ended');
  return (
    <>
      <main ref={main} className={css.scroll}>
        <div className={css.column}>
          {loading &&
            (talk.problem === undefined ? (
              <Skeleton lines={5} />
            ) : (
              <Failed words={wordsFor(talk.problem)} retry={talk.readAgain} />
            ))}
          {!loading && exchanges.length === 0 && turns.length === 0 && problem === null && (
            <p className={css.hello}>Write a message below to begin.</p>
          )}
          <ol className={css.conversation} aria-label="Conversation">
            {exchanges.map((exchange, at) => (
              <Entry key={at} {...{ exchange, sessionId, asksFirst }} />
            ))}
            {turns.map((turn) => (
              <Entry key={turn.key} {...{ exchange: turn, turn, sessionId: turn.sessionId, asksFirst, talk }}>
                <Outcome turn={turn} talk={talk} edit={setDraft} />
              </Entry>
            ))}
          </ol>
          <p role="status" className="visually-hidden">
            {live && statusLabels(live)}
          </p>
          {rated && (
            <Feedback
              key={sessionId}
              sessionId={sessionId}
              given={session?.feedback ?? { rating: null, comment: null }}
            />
          )}
        </div>
      </main>
      <div className={css.foot}>
        <div className={css.column}>
          {problem !== null || over ? (
            <div className={css.blocked}>
              <p>{problem ?? (live ? 'This conversation is closed.' : 'This study has changed.')}</p>
              {problem === null ? (
                <Button onClick={onNew}>New conversation</Button>
              ) : (
                <Button onClick={() => void readAgain()}>Try again</Button>
              )}
            </div>
          ) : (
            <Composer
              draft={draft}
              setDraft={setDraft}
              busy={busy || loading}
              onSend={talk.say}
              onStop={talk.hangUp}
            />
          )}
        </div>
      </div>
    </>
  );
}

function Entry({
  exchange: { said, pieces },
  turn,
  sessionId,
  asksFirst,
  talk,
  children,
}: {
  exchange: Exchange;
  turn?: Turn;
  sessionId: string | undefined;
  asksFirst: boolean;
  talk?: Talk;
  children?: ReactNode;
}) {
  return (
    <li className={css.exchange}>
      {said !== '' && <MessageBubble by="You" text={said} />}
      <LimitedList items={pieces} noun="piece">
        {(piece, at) =>
          piece.kind === 'text' ? (
            <MessageBubble key={at} by="Assistant" text={piece.text} />
          ) : (
            <CallRow
              key={at}
              call={piece}
              sessionId={sessionId}
              fresh={turn !== undefined}
              asksFirst={asksFirst}
              decide={
                turn && talk && isOpen(turn) ? (approved) => talk.decide(turn, piece.id, approved) : undefined
              }
            />
          )
        }
      </LimitedList>
      {children}
    </li>
  );
}

/** A message of the visitor or the model, always rendered as plain text. */
function MessageBubble({ by, text }: { by: 'You' | 'Assistant'; text: string }) {
  return (
    <div className={classes(css.said, by === 'You' && css.own)}>
      <h2 className="visually-hidden">{by}</h2>
      <LongText className={css.words} text={text} first={maxAtFirst} />
    </div>
  );
}

function Outcome({ turn, talk, edit }: { turn: Turn; talk: Talk; edit: (text: string) => void }) {
  const { state, pieces } = turn;
  if (state === 'sending') return <StateMark state="pending">sending</StateMark>;
  if (state === 'waiting')
    return <StateMark state="pending">An earlier message is still being answered</StateMark>;
  if (state === 'running') {
    const asks = pieces.some((piece) => piece.kind === 'call' && piece.state === 'asks');
    return asks ? null : <StateMark state="running">working</StateMark>;
  }
  if (state === 'ended') return null;
  const words = state === 'stopped' ? 'Stopped. Nothing was saved.' : wordsFor(turn.error);
  if (endsConversation(turn)) return <Failed words={words} />;
  return (
    <Failed
      words={words}
      retry={() => talk.retry(turn)}
      edit={() => {
        talk.forget(turn);
        edit(turn.said);
      }}
    />
  );
}

function Failed({ words, retry, edit }: { words: string; retry?: () => void; edit?: () => void }) {
  return (
    <div role="alert" className={css.failed}>
      <p>{words}</p>
      {retry && (
        <p className={css.answers}>
          <Button onClick={retry}>Try again</Button>
          {edit && (
            <Button variant="quiet" onClick={edit}>
              Edit message
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** Announced by screen readers, for which streamed text would be too much. */
function statusLabels({ state, pieces }: Turn): string {
  const last = pieces.at(-1);
  if (state === 'running' && last?.kind === 'call')
    return last.state === 'asks'
      ? `Waiting for your approval of ${last.tool}`
      : `Tool ${last.tool}: ${last.state}`;
  return { ...stateLabels }[state];
}

const stateLabels = {
  sending: 'Sending your message',
  waiting: 'Waiting for an earlier message',
  running: 'The assistant is working',
  ended: 'Reply received',
  failed: 'Failed',
  stopped: 'Stopped',
  lost: 'Connection lost',
};

/** Keeps the end in view: on open, on send, and while the reader follows. */
function useFollow(turns: readonly Turn[], length: number) {
  const main = useRef<HTMLElement>(null);
  const seen = useRef('');
  useEffect(() => {
    const page = main.current;
    if (!page || (length === 0 && turns.length === 0)) return;
    const now = `${length} ${turns.at(-1)?.key ?? ''}`;
    const isNew = now !== seen.current;
    seen.current = now;
    const away = page.scrollHeight - page.scrollTop - page.clientHeight;
    if (isNew || away < near) page.scrollTop = page.scrollHeight;
  }, [turns, length]);
  return main;
}
