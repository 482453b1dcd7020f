import type { Output } from '../../../../client/index.ts';
import type { State } from '../../kit/state.tsx';

export type Run = Output<'listEvalSuiteRuns'>['items'][number];
export type States = Output<'listEvalRunTrialStates'>;

/** What became of one case in one run. */
export interface Outcome {
  run: Run;
  state: State;
  passed: number;
  judged: number;
  /** A trial that shows it. */
  trialId: string;
}

/** A run with its trials, as far as they are read. */
export interface PastRun {
  run: Run;
  states: States | undefined;
}

/** By the id of the case: its outcome in each of the runs, in their order; nothing where a run did not have it. */
export function outcomesOf(past: readonly PastRun[]): Map<string, (Outcome | undefined)[]> {
  const found = new Map<string, (Outcome | undefined)[]>();
  past.forEach(({ run, states }, at) => {
    const trials = new Map<string, States['items']>();
    for (const trial of states?.items ?? []) {
      const caseId = states?.cases[trial.case]?.testCaseId ?? '';
      trials.set(caseId, [...(trials.get(caseId) ?? []), trial]);
    }
    for (const [caseId, own] of trials) {
      const row = found.get(caseId) ?? Array.from<Outcome | undefined>({ length: past.length });
      row[at] = outcomeOf(run, own);
      found.set(caseId, row);
    }
  });
  return found;
}

function outcomeOf(run: Run, trials: States['items']): Outcome {
  const judged = trials.filter(({ result }) => result !== null);
  const passed = judged.filter(({ result }) => result === 'passed');
  const failing = trials.find(({ result }) => result === 'failed') ?? trials[0];
  const under = trials.some(({ status }) => status === 'pending' || status === 'running');
  return {
    run,
    state: stateOf(judged.length, passed.length, under),
    passed: passed.length,
    judged: judged.length,
    trialId: failing?.id ?? '',
  };
}

/** One that passed and failed in the same run is flaky, whatever its threshold makes of it. */
function stateOf(judged: number, passed: number, under: boolean): State {
  if (under) return 'running';
  if (judged === 0) return 'notMeasured';
  if (passed === judged) return 'passed';
  return passed === 0 ? 'failed' : 'flaky';
}

/** What a run was like as a whole. */
export interface Figures {
  run: Run;
  passed: number;
  trials: number;
  /** Times of trials, in order; the same for cost. */
  times: number[];
  /** `null` when no trial says what it cost. */
  cost: number | null;
}

/** Of runs that came to an end and whose trials are read. */
export function figuresOf(past: readonly PastRun[]): Figures[] {
  return past.flatMap(({ run, states }) => {
    if (!states || run.completedAt === null) return [];
    const known = states.items.flatMap(({ estimatedCostUsd }) => estimatedCostUsd ?? []);
    const judged = states.items.filter(({ result }) => result !== null);
    return [
      {
        run,
        passed: judged.filter(({ result }) => result === 'passed').length,
        trials: judged.length,
        times: states.items.flatMap(({ durationMs }) => durationMs ?? []).toSorted((a, b) => a - b),
        cost: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0),
      },
    ];
  });
}

/** Of values in order: the one below which this share of them is; nothing of nothing. */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  if (sorted.length === 0) return undefined;
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}
