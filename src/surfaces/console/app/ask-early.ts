import { queryClient } from './api/ask.ts';
import { session } from './api/session.ts';
import { lastSignedIn } from './api/session-state.ts';
import { runOf, traceOf, trialOf, trialsOf } from './pages/runs/queries.ts';

const ofRun =
  /^\/console\/projects\/(?<projectId>[^/]+)\/runs\/(?<runId>[^/]+)(?:\/trials\/(?<trialId>[^/]+))?\/?$/;

/** Begins to read what the page at an address shows, for the pages that are opened most. */
export function askEarly(path: string): void {
  void queryClient.prefetchQuery(session);
  if (lastSignedIn() === undefined) return;
  const { projectId, runId, trialId } = ofRun.exec(path)?.groups ?? {};
  if (projectId === undefined || runId === undefined) return;
  // Code that does not come is asked for again, and missed, by whoever draws it.
  if (trialId === undefined) {
    void askForRun({ projectId, runId });
    import('./pages/runs/run-page.tsx').catch(() => {});
  } else {
    void askForTrial({ projectId, runId, trialId });
    import('./pages/trial/trial-page.tsx').catch(() => {});
  }
}

/** What fails is shown by the page. */
export async function askForRun(which: { projectId: string; runId: string }): Promise<void> {
  await Promise.all([
    queryClient.prefetchQuery(runOf(which)),
    queryClient.prefetchInfiniteQuery(trialsOf(which)),
  ]);
}

export async function askForTrial(which: {
  projectId: string;
  runId: string;
  trialId: string;
}): Promise<void> {
  await Promise.all([
    queryClient.prefetchQuery(runOf(which)),
    queryClient.prefetchQuery(trialOf(which)),
    queryClient.prefetchQuery(traceOf(which)),
  ]);
}
