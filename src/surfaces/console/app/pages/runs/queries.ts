import { DrydockError } from '../../../../client/index.ts';
import { ask, askPages, prefetchInfiniteQuery, prefetchQuery } from '../../api/index.ts';

interface RunRef {
  projectId: string;
  runId: string;
}

/** Queries of a run and its trials. Pages share them, and so the cache. */
export function runOf({ projectId, runId }: RunRef) {
  return ask('getEvalRun', { projectId, runId, limit: 100 });
}

/** The first page is small, to show something soon. */
export function trialsOf({ projectId, runId }: RunRef) {
  return {
    ...askPages('listEvalRunTrialStates', { projectId, runId, limit: 1000 }, { limit: 5000 }),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  };
}

export function trialOf({ projectId, runId, trialId }: RunRef & { trialId: string }) {
  return ask('getEvalIteration', { projectId, runId, iterationId: trialId });
}

export function traceOf({ projectId, runId, trialId }: RunRef & { trialId: string }) {
  const which = { projectId, runId, iterationId: trialId };
  return { ...ask('getEvalIterationTrace', which), staleTime: 5 * 60_000 };
}

/** Prefetches what the page shows first. The page shows errors. */
export async function readRun(which: RunRef): Promise<void> {
  await Promise.all([prefetchQuery(runOf(which)), prefetchInfiniteQuery(trialsOf(which))]);
}

export async function readTrial(which: RunRef & { trialId: string }): Promise<void> {
  await Promise.all([
    prefetchQuery(runOf(which)),
    prefetchQuery(trialOf(which)),
    prefetchQuery(traceOf(which)),
  ]);
}

/** Whether a trial has no trace, as pending, skipped and reported trials may. */
export function hasNoTrace(error: unknown): boolean {
  return error instanceof DrydockError && ['NOT_FOUND', 'CONFLICT'].includes(error.code);
}
