import type { State } from '../../../kit/state.tsx';
import { type Attempt, type JourneyRun, type Session, sessionStatusOf, targetDecisions } from '../states.ts';

type Verdict = NonNullable<Session['verdict']>;

export interface LiveUpdate {
  attempt: Attempt;
  verdict: Verdict | undefined;
}

/** A session on the board. */
export interface Cell {
  key: string;
  /** Number within its target, starting at 1. */
  number: number;
  /** ID of its chat session; null until the session starts. */
  sessionId: string | null;
  state: State;
  word: string | undefined;
  turns: number;
}

/** A target with its sessions in order. */
export interface Row {
  key: string;
  name: string;
  model: string | undefined;
  cells: Cell[];
  passed: number;
  graded: number;
  verdict: State;
  /** Required pass rate. */
  needed: number | undefined;
}

/** The key of a session in the map of live updates. */
export function keyOf({
  targetId,
  hostId,
  sessionIndex,
}: Pick<Attempt, 'targetId' | 'hostId' | 'sessionIndex'>): string {
  return `${targetId ?? hostId}/${sessionIndex}`;
}

export function rowsOf(run: JourneyRun, updates: ReadonlyMap<string, LiveUpdate>): Row[] {
  const decisions = targetDecisions(run);
  const attempts = new Map<string, Attempt>();
  for (const attempt of run.attempts ?? []) attempts.set(keyOf(attempt), attempt);
  for (const [key, { attempt }] of updates) attempts.set(key, later(attempt, attempts.get(key)));
  const byTarget = new Map<string, [key: string, Attempt][]>();
  for (const [key, attempt] of attempts) {
    const target = attempt.targetId ?? attempt.hostId;
    const known = byTarget.get(target);
    if (known) known.push([key, attempt]);
    else byTarget.set(target, [[key, attempt]]);
  }
  return run.targets.map((target): Row => {
    const key = target.targetId ?? target.hostId;
    const cells = (byTarget.get(key) ?? [])
      .toSorted(([, a], [, b]) => a.sessionIndex - b.sessionIndex)
      .map(([cellKey, attempt], at) => cellOf(cellKey, at + 1, attempt, updates.get(cellKey)?.verdict));
    const passed = cells.filter(({ state }) => state === 'passed').length;
    const decision = decisions.get(key);
    return {
      key,
      name: target.environmentName ?? target.hostName ?? key,
      model: target.modelId,
      cells,
      passed,
      graded: passed + cells.filter(({ state }) => state === 'failed').length,
      verdict: decision?.verdict ?? stateOfTarget(run),
      needed: decision?.effectivePassThreshold,
    };
  });
}

function stateOfTarget({ status, canceled, verdictSummary }: JourneyRun): State {
  if (status === 'running') return 'running';
  if (canceled) return 'cancelled';
  return verdictSummary?.status === 'pending' ? 'grading' : 'notEstablished';
}

const order = { pending: 0, running: 1, succeeded: 2, failed: 2, rate_limited: 2 };

/** Merges fetched state and events; a session never returns to an earlier state. */
function later(update: Attempt, read: Attempt | undefined): Attempt {
  if (!read) return update;
  const step = order[update.status] - order[read.status] || update.turns - read.turns;
  return step >= 0 ? update : read;
}

function cellOf(key: string, number: number, attempt: Attempt, verdict: Verdict | undefined): Cell {
  return {
    key,
    number,
    sessionId: attempt.chatSessionId,
    turns: attempt.turns,
    ...sessionStatusOf(attempt, verdict),
  };
}

/** Whether a row would render the same. */
export function isSameRow(a: Row, b: Row): boolean {
  return (
    a.key === b.key &&
    a.name === b.name &&
    a.model === b.model &&
    a.verdict === b.verdict &&
    a.needed === b.needed &&
    a.cells.length === b.cells.length &&
    a.cells.every((cell, at) => isSameCell(cell, b.cells[at] as Cell))
  );
}

function isSameCell(a: Cell, b: Cell): boolean {
  return a.key === b.key && a.sessionId === b.sessionId && a.state === b.state && a.turns === b.turns;
}
