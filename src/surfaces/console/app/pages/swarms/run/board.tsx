import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, memo, useMemo } from 'react';
import { Rate } from '../../../charts/rate.tsx';
import { byArrows } from '../../../kit/arrow-keys.ts';
import { classes } from '../../../kit/classes.ts';
import { counted } from '../../../kit/numbers.ts';
import { type State, StateMark, stateClasses, wordFor } from '../../../kit/state.tsx';
import css from './board.module.css';
import { type Cell, isSameRow, type Row } from './rows.ts';

const move = byArrows('session');

/** Placeholder for the session ID in a URL. */
const placeholder = 'SESSION';

/** Grid of sessions by target. Each cell has a shape, the number of answered messages, and a link. */
export function Board({
  projectId,
  journeyRunId,
  rows,
}: {
  projectId: string;
  journeyRunId: string;
  rows: readonly Row[];
}) {
  const router = useRouter();
  // Built once for all links.
  const [before = '', behind = ''] = useMemo(
    () =>
      router
        .buildLocation({
          to: '/projects/$projectId/swarms/runs/$journeyRunId/sessions/$sessionId',
          params: { projectId, journeyRunId, sessionId: placeholder },
        })
        .href.split(placeholder),
    [router, projectId, journeyRunId],
  );
  /** Event delegation: one listener for thousands of links. */
  const open = (event: MouseEvent): void => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-session][href]');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    router.history.push(link.getAttribute('href') as string);
  };
  return (
    // Event delegation: the links inside are focusable and bubble their events here.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <div className={css.board} role="table" aria-label="Sessions by target" onClick={open} onKeyDown={move}>
      <div role="row" className={classes(css.row, css.head)}>
        <span role="columnheader">Target</span>
        <span role="columnheader">Verdict</span>
        <span role="columnheader">Passed</span>
        <span role="columnheader">Sessions</span>
      </div>
      {rows.map((row) => (
        <BoardRow key={row.key} row={row} before={before} behind={behind} />
      ))}
    </div>
  );
}

const BoardRow = memo(
  function BoardRow({ row, before, behind }: { row: Row; before: string; behind: string }) {
    const { name, model, verdict, passed, graded, needed, cells } = row;
    const stop = cells.find(({ state, sessionId }) => state === 'failed' && sessionId !== null) ?? cells[0];
    return (
      <div role="row" className={css.row}>
        <span role="cell" className={css.target}>
          <bdi className={css.name} title={name}>
            {name}
          </bdi>
          {model !== undefined && <bdi className={css.model}>{model}</bdi>}
        </span>
        <span role="cell">
          <StateMark state={verdict} />
        </span>
        <span role="cell">
          <Rate passed={passed} trials={graded} needed={needed} />
        </span>
        <span role="cell" className={css.strip}>
          {cells.map((cell) => (
            // A session that has not started has no page to link to, but is focusable.
            <a
              key={cell.key}
              href={
                cell.sessionId === null
                  ? undefined
                  : `${before}${encodeURIComponent(cell.sessionId)}${behind}`
              }
              role={cell.sessionId === null ? 'link' : undefined}
              aria-disabled={cell.sessionId === null || undefined}
              data-session={cell.number}
              tabIndex={cell === stop ? 0 : -1}
              className={classes(css.cell, stateClasses(cell.state))}
              aria-label={labelOf(cell)}
              title={labelOf(cell)}
            >
              {cell.turns > 0 && cell.turns}
            </a>
          ))}
        </span>
      </div>
    );
  },
  (a, b) => a.before === b.before && a.behind === b.behind && isSameRow(a.row, b.row),
);

function labelOf({ number, state, word, turns }: Cell): string {
  return `Session ${number}: ${word ?? wordFor(state)}${turns > 0 ? `, ${counted(turns, 'message')} answered` : ''}`;
}

export function Legend({ rows }: { rows: readonly Row[] }) {
  const words = new Map<string, { state: State; sessions: number }>();
  for (const { state, word } of rows.flatMap(({ cells }) => cells)) {
    const key = word ?? wordFor(state);
    words.set(key, { state, sessions: (words.get(key)?.sessions ?? 0) + 1 });
  }
  return (
    <ul className={css.legend} aria-label="Legend">
      {[...words].map(([word, { state, sessions }]) => (
        <li key={word}>
          <StateMark state={state}>
            {word} {sessions}
          </StateMark>
        </li>
      ))}
    </ul>
  );
}
