import type { Output } from '../../api/index.ts';
import type { State } from '../../kit/state.tsx';

export type Run = Output<'listEvalSuiteRuns'>['items'][number];
export type States = Output<'listEvalRunTrialStates'>;

export interface Outcome {
  run: Run;
  state: State;
  passed: number;
  judged: number;
  /** An example trial. */
  trialId: string;
}

/** A run with its trials, if they are loaded. */
export interface PastRun {
  run: Run;
  states: States | undefined;
}

/** Outcomes by case ID, one for each run in order; undefined where a run did not include the case. */
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

/** A case that passed and failed in the same run is flaky, even if it meets its threshold. */
function stateOf(judged: number, passed: number, under: boolean): State {
  if (under) return 'running';
  if (judged === 0) return 'notMeasured';
  if (passed === judged) return 'passed';
  return passed === 0 ? 'failed' : 'flaky';
}

export interface Figures {
  run: Run;
  passed: number;
  trials: number;
  /** Sorted trial durations. */
  times: number[];
  /** `null` if no trial has a cost. */
  cost: number | null;
}

/** Skips runs that have not ended or whose trials are not loaded. */
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

/** Interpolates between sorted values; undefined if there are none. */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  if (sorted.length === 0) return undefined;
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}
