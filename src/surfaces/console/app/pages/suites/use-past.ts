import { ask, useQueries, useQuery } from '../../api/index.ts';
import { isOpen } from '../runs/states.ts';
import type { PastRun, States } from './past.ts';

interface Held {
  state: { data: States | undefined };
}

/** Poll interval in milliseconds while a run is in progress. */
const pollEvery = 3_000;
const maxTrials = 5000;

/** The last runs of a suite, or only its full runs, oldest first, with trial states as they load. */
export function usePast(which: { projectId: string; suiteId: string }, last: number, coverage?: 'suite') {
  const { projectId } = which;
  const runs = useQuery({
    ...ask('listEvalSuiteRuns', { ...which, coverage, limit: last }),
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? pollEvery : false),
  });
  const items = runs.data?.items.toReversed() ?? [];
  const states = useQueries({
    queries: items.map((run) => ({
      ...ask('listEvalRunTrialStates', { projectId, runId: run.id, limit: maxTrials }),
      // Completed runs do not change.
      staleTime: ({ state }: Held) => (isSettled(state.data) ? Number.POSITIVE_INFINITY : pollEvery),
      refetchInterval: ({ state }: Held) => (isSettled(state.data) ? (false as const) : pollEvery),
    })),
  });
  const past: PastRun[] = items.map((run, at) => ({ run, states: states[at]?.data }));
  return { runs, past, reading: states.some(({ isPending }) => isPending) };
}

function isSettled(states: States | undefined): boolean {
  return (
    states !== undefined && states.items.every(({ status }) => status !== 'pending' && status !== 'running')
  );
}
