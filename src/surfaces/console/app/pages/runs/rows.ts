import type { RunSearch, TrialFilters } from '../../addresses.ts';
import type { Output } from '../../api/index.ts';
import { median } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';
import { rowKey } from './decision.ts';
import { stateOfTrial } from './states.ts';

type Page = Output<'listEvalRunTrialStates'>;
type Sent = Page['items'][number];

/** A trial in the grid. */
export interface Trial {
  id: string;
  number: number;
  state: State;
  /** Whether it counts toward the pass rate. */
  judged: boolean;
  durationMs: number | null;
  tokens: number | null;
  cost: number | null;
  stage: string | undefined;
  tools: string[];
}

/** A case with one of its models, and its trials in order. */
export interface Row {
  key: string;
  testCaseId: string;
  title: string;
  model: string;
  trials: Trial[];
  passed: number;
  judged: number;
  latency: number | undefined;
  tokens: number | undefined;
  cost: number | undefined;
}

/** Updates of a trial from the event stream, newer than the loaded pages. */
export type LiveUpdate = Pick<Sent, 'status' | 'result' | 'durationMs'>;

export function rowsOf(pages: readonly Page[], updates: ReadonlyMap<string, LiveUpdate>): Row[] {
  const rows = new Map<string, Row>();
  for (const { cases, tools, items } of pages)
    for (const sent of items) {
      const about = cases[sent.case];
      if (!about) continue;
      const key = rowKey(about.testCaseId, about.model);
      const row = rows.get(key) ?? emptyRow(key, about);
      rows.set(key, row);
      row.trials.push(trialOf(sent, tools, updates.get(sent.id)));
    }
  return [...rows.values()].map(withFigures);
}

function emptyRow(key: string, { testCaseId, title, model }: Page['cases'][number]): Row {
  const figures = { passed: 0, judged: 0, latency: undefined, tokens: undefined, cost: undefined };
  return { key, testCaseId, title, model, trials: [], ...figures };
}

function trialOf(sent: Sent, tools: readonly string[], update: LiveUpdate | undefined): Trial {
  // A page with a result is at least as new as the event.
  const now =
    sent.result === null && (sent.status === 'pending' || sent.status === 'running')
      ? (update ?? sent)
      : sent;
  return {
    id: sent.id,
    number: sent.iterationNumber,
    state: stateOfTrial(now),
    judged: now.result !== null,
    durationMs: now.durationMs,
    tokens: sent.tokensUsed,
    cost: sent.estimatedCostUsd,
    stage: sent.firstFailedStage,
    tools: sent.tools.flatMap((place) => tools[place] ?? []),
  };
}

function withFigures(row: Row): Row {
  const { trials } = row;
  const known = (of: (trial: Trial) => number | null): number | undefined =>
    median(trials.flatMap((trial) => of(trial) ?? []));
  return {
    ...row,
    passed: trials.filter(({ state }) => state === 'passed').length,
    judged: trials.filter(({ judged }) => judged).length,
    latency: known(({ durationMs }) => durationMs),
    tokens: known(({ tokens }) => tokens),
    cost: known(({ cost }) => cost),
  };
}

/** Whether a trial matches the filters. */
export function fits(row: Row, trial: Trial, { state, stage, tool, model, q }: TrialFilters): boolean {
  return (
    (state === undefined || trial.state === state) &&
    (stage === undefined || trial.stage === stage) &&
    (tool === undefined || trial.tools.includes(tool)) &&
    (model === undefined || row.model === model) &&
    (q === undefined || row.title.toLowerCase().includes(q.toLowerCase()))
  );
}

export function isFiltered({ state, stage, tool, model, q }: TrialFilters): boolean {
  return [state, stage, tool, model, q].some((one) => one !== undefined);
}

/** Rows with a matching trial, sorted as requested; unmeasured values come last. */
export function chosenRows(rows: readonly Row[], search: RunSearch): Row[] {
  const fitting = rows.filter((row) => row.trials.some((trial) => fits(row, trial, search)));
  const { sort, down } = search;
  if (sort === undefined) return down ? fitting.toReversed() : fitting;
  const turn = down ? -1 : 1;
  if (sort === 'case') return fitting.toSorted((a, b) => turn * a.title.localeCompare(b.title));
  const figure = (row: Row): number | undefined =>
    sort === 'rate' ? (row.judged === 0 ? undefined : row.passed / row.judged) : row[sort];
  return fitting.toSorted((a, b) => {
    const [left, right] = [figure(a), figure(b)];
    if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
    return turn * (left - right);
  });
}

/** Every matching trial in grid order, for the previous and next links. */
export function chosenTrials(rows: readonly Row[], search: RunSearch): { row: Row; trial: Trial }[] {
  return chosenRows(rows, search).flatMap((row) =>
    row.trials.filter((trial) => fits(row, trial, search)).map((trial) => ({ row, trial })),
  );
}
