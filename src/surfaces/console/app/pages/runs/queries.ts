import { ask, askPages, queryClient } from '../../api/ask.ts';

interface Which {
  projectId: string;
  runId: string;
}

/** What the pages of a run and of its trials read, under one name wherever it is asked for. */
export function runOf({ projectId, runId }: Which) {
  return ask('getEvalRun', { projectId, runId, limit: 100 });
}

/** The first page is small, so that something can be seen soon. */
export function trialsOf({ projectId, runId }: Which) {
  return {
    ...askPages('listEvalRunTrialStates', { projectId, runId, limit: 1000 }, { limit: 5000 }),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  };
}

export function trialOf({ projectId, runId, trialId }: Which & { trialId: string }) {
  return ask('getEvalIteration', { projectId, runId, iterationId: trialId });
}

export function traceOf({ projectId, runId, trialId }: Which & { trialId: string }) {
  const which = { projectId, runId, iterationId: trialId };
  return { ...ask('getEvalIterationTrace', which), staleTime: 5 * 60_000 };
}

/** What the page of a run shows first. What fails is shown by the page. */
export async function readRun(which: Which): Promise<void> {
  await Promise.all([
    queryClient.prefetchQuery(runOf(which)),
    queryClient.prefetchInfiniteQuery(trialsOf(which)),
  ]);
}

export async function readTrial(which: Which & { trialId: string }): Promise<void> {
  await Promise.all([
    queryClient.prefetchQuery(runOf(which)),
    queryClient.prefetchQuery(trialOf(which)),
    queryClient.prefetchQuery(traceOf(which)),
  ]);
}
