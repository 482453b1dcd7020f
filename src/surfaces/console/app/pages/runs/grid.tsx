import { Link, useRouter } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type MouseEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { RunSearch } from '../../addresses.ts';
import { Rate } from '../../charts/rate.tsx';
import { byArrows } from '../../kit/arrow-keys.ts';
import { classes } from '../../kit/classes.ts';
import { cost, count } from '../../kit/numbers.ts';
import { Glyph, StateMark, wordFor } from '../../kit/state.tsx';
import { duration } from '../../kit/time.tsx';
import { caseDecisions, type Run, rowKey } from './decision.ts';
import css from './grid.module.css';
import { fits, isFiltered, type Row, type Trial } from './rows.ts';
import { stageWord } from './states.ts';

const move = byArrows('trial');

/** Sizes in pixels. */
const rowHeight = 34;
const cellWidth = 22;
/** Left and right padding combined. */
const stripPadding = 24;
/** Cells render in blocks of this size, so that horizontal scrolling rarely re-renders. */
const block = 6;
/** Placeholder for the trial ID in a URL. */
const placeholder = 'TRIAL';

interface GridProps {
  run: Run;
  rows: Row[];
  search: RunSearch;
  projectId: string;
  severalModels: boolean;
}

/** Virtualized grid: one row per case, one linked shape per trial. */
export function Grid({ run, rows, search, projectId, severalModels }: GridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const trialsHead = useRef<HTMLSpanElement>(null);
  const router = useRouter();
  const [blocks, setBlocks] = useState({ first: 0, last: 1 });
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 5,
    // Size until measured: few rows, so that the first render is fast.
    initialRect: { width: 0, height: rowHeight },
    observeElementRect: observeSize,
    // Only the user scrolls.
    scrollToFn: () => {},
  });
  const widest = rows.reduce((most, { trials }) => Math.max(most, trials.length), 0);
  const stripWidth = widest * cellWidth + stripPadding;
  const decisions = caseDecisions(run);
  const statistics = new Map(run.statistics?.cases.map((one) => [rowKey(one.caseId, one.model), one]));
  const scroll = useCallback((): void => {
    const { scrollLeft = 0, clientWidth = 0 } = frame.current ?? {};
    // Metric columns come before the trials on wide pages, and after them on narrow ones.
    const start = trialsHead.current?.offsetLeft ?? 0;
    const first = Math.max(0, Math.floor((scrollLeft - start) / cellWidth / block));
    const last = Math.max(1, Math.ceil((scrollLeft + clientWidth - start) / cellWidth / block));
    setBlocks((known) => (known.first === first && known.last === last ? known : { first, last }));
  }, []);
  useEffect(() => {
    const sizes = new ResizeObserver(scroll);
    if (frame.current) sizes.observe(frame.current);
    return () => sizes.disconnect();
  }, [scroll]);
  // Built once, because a thousand links render at a time.
  const [before = '', behind = ''] = useMemo(
    () =>
      router
        .buildLocation({
          to: '/projects/$projectId/runs/$runId/trials/$trialId',
          params: { projectId, runId: run.id, trialId: placeholder },
          search,
        })
        .href.split(placeholder),
    [router, projectId, run.id, search],
  );
  /** Event delegation: one listener for thousands of links. */
  const open = (event: MouseEvent): void => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-trial]');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    router.history.push(link.getAttribute('href') as string);
  };
  return (
    // Event delegation: the links inside are focusable and bubble their events here.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={frame}
      className={css.frame}
      role="table"
      aria-label="Cases and their trials"
      aria-rowcount={rows.length + 1}
      onScroll={scroll}
      onClick={open}
      onKeyDown={move}
    >
      <div role="row" aria-rowindex={1} className={css.head}>
        <Heading name="Case" sort="case" search={search} className={css.case} />
        <span role="columnheader" className={css.verdict}>
          Verdict
        </span>
        <Heading name="Passed" sort="rate" search={search} className={css.rate} />
        <Heading name="Median time" sort="latency" search={search} className={css.figure} />
        <Heading name="Tokens" sort="tokens" search={search} className={css.figure} />
        <Heading name="Cost" sort="cost" search={search} className={css.figure} />
        <span ref={trialsHead} role="columnheader" className={css.trials} style={{ minWidth: stripWidth }}>
          Trials
        </span>
      </div>
      <div className={css.body} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index] as Row;
          const statistic = statistics.get(row.key);
          return (
            <div
              key={row.key}
              role="row"
              aria-rowindex={index + 2}
              className={css.row}
              style={{ top: start }}
            >
              <span role="cell" className={css.case}>
                <span className={css.title} title={row.title}>
                  {row.title}
                </span>
                {severalModels && <span className={css.model}>{row.model}</span>}
                {statistic?.flaky && <Glyph state="flaky" label="flaky: both passed and failed" />}
              </span>
              <span role="cell" className={css.verdict}>
                <Verdict row={row} decided={decisions.get(row.key)?.verdict} />
              </span>
              <span role="cell" className={css.rate}>
                <Rate
                  passed={statistic?.passed ?? row.passed}
                  trials={statistic?.trials ?? row.judged}
                  needed={statistic?.threshold}
                />
                {statistic?.excluded !== undefined && (
                  <span
                    className={css.settle}
                    title="Did not complete or could not be graded; excluded from the rate"
                  >
                    {statistic.excluded} not measured
                  </span>
                )}
                {!statistic?.excluded &&
                  statistic?.trialsToSettle != null &&
                  statistic.trialsToSettle > 0 && (
                    <span
                      className={css.settle}
                      title={`About ${statistic.trialsToSettle} more trials are needed to place the whole interval on one side of the threshold`}
                    >
                      {statistic.trialsToSettle} more trials needed
                    </span>
                  )}
              </span>
              <span role="cell" className={css.figure}>
                {row.latency === undefined ? '–' : duration(row.latency)}
              </span>
              <span role="cell" className={css.figure}>
                {row.tokens === undefined ? '–' : count(Math.round(row.tokens))}
              </span>
              <span role="cell" className={css.figure}>
                {row.cost === undefined ? '–' : cost(row.cost)}
              </span>
              <span role="cell" className={css.trials} style={{ minWidth: stripWidth }}>
                <Strip
                  row={row}
                  search={search}
                  first={blocks.first}
                  last={blocks.last}
                  before={before}
                  behind={behind}
                />
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** ResizeObserver reports the size after layout; measuring would force a layout while rendering. */
function observeSize(
  { scrollElement }: { scrollElement: Element | null },
  tell: (rect: { width: number; height: number }) => void,
): () => void {
  const sizes = new ResizeObserver(([entry]) => {
    const box = entry?.borderBoxSize[0];
    if (box) tell({ width: Math.round(box.inlineSize), height: Math.round(box.blockSize) });
  });
  if (scrollElement) sizes.observe(scrollElement);
  return () => sizes.disconnect();
}

function Verdict({
  row,
  decided,
}: {
  row: Row;
  decided: 'passed' | 'failed' | 'inconclusive' | undefined;
}): ReactNode {
  if (decided) return <StateMark state={decided} />;
  const under = row.trials.some(({ state }) => state === 'running' || state === 'pending');
  return <StateMark state={under ? 'running' : 'notEstablished'} />;
}

function Heading({
  name,
  sort,
  search,
  className,
}: {
  name: string;
  sort: NonNullable<RunSearch['sort']>;
  search: RunSearch;
  className: string | undefined;
}) {
  const chosen = search.sort === sort;
  const down = chosen && search.down === true;
  // Cycles through ascending, descending, and the order of the suite.
  const next = chosen
    ? down
      ? { sort: undefined, down: undefined }
      : { down: true as const }
    : { sort, down: undefined };
  return (
    <span
      role="columnheader"
      className={className}
      aria-sort={chosen ? (down ? 'descending' : 'ascending') : undefined}
    >
      <Link
        from="/projects/$projectId/runs/$runId"
        to="."
        search={(before) => ({ ...before, ...next })}
        replace
        className={css.sort}
      >
        {name}
        {chosen && <span aria-hidden="true">{down ? ' ↓' : ' ↑'}</span>}
      </Link>
    </span>
  );
}

const Strip = memo(function Strip({
  row,
  search,
  first,
  last,
  before,
  behind,
}: {
  row: Row;
  search: RunSearch;
  first: number;
  last: number;
  /** URL of a trial, before and after its ID. */
  before: string;
  behind: string;
}) {
  const from = first * block;
  const shown = row.trials.slice(from, last * block);
  const filtered = isFiltered(search);
  const stop = row.trials.find(({ state }) => state === 'failed') ?? row.trials[0];
  return (
    <span className={css.strip} style={{ paddingLeft: from * cellWidth }}>
      {shown.map((trial) => (
        <a
          key={trial.id}
          href={`${before}${trial.id}${behind}`}
          data-trial={trial.number}
          tabIndex={trial === stop ? 0 : -1}
          className={classes(css.cell, filtered && !fits(row, trial, search) && css.faded)}
          aria-label={labelOf(trial)}
          title={labelOf(trial)}
        >
          <Glyph state={trial.state} size={16} />
        </a>
      ))}
    </span>
  );
});

function labelOf({ number, state, stage, durationMs }: Trial): string {
  return [
    `Trial ${number}: ${wordFor(state)}`,
    ...(stage === undefined ? [] : [`at ${stageWord(stage)}`]),
    ...(durationMs === null ? [] : [duration(durationMs)]),
  ].join(', ');
}
