import { prefetchQuery } from './api/cache.ts';
import { session } from './api/session.ts';
import { lastSignedIn } from './api/session-state.ts';
import { readRun, readTrial } from './pages/runs/queries.ts';

const ofRun =
  /^\/console\/projects\/(?<projectId>[^/]+)\/runs\/(?<runId>[^/]+)(?:\/trials\/(?<trialId>[^/]+))?\/?$/;

/** Prefetches the data of the most visited pages. Other pages fetch their own. */
export function askEarly(path: string): void {
  const { projectId, runId, trialId } = ofRun.exec(path)?.groups ?? {};
  if (projectId === undefined || runId === undefined || lastSignedIn() === undefined) return;
  void prefetchQuery(session);
  // If an import fails, the page's own import retries and reports it.
  if (trialId === undefined) {
    void readRun({ projectId, runId });
    import('./pages/runs/run-page.tsx').catch(() => {});
  } else {
    void readTrial({ projectId, runId, trialId });
    import('./pages/trial/trial-page.tsx').catch(() => {});
  }
}
