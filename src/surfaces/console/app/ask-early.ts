import { prefetchQuery } from './api/cache.ts';
import { session } from './api/session.ts';
import { lastSignedIn } from './api/session-state.ts';
import { readRun, readTrial } from './pages/runs/queries.ts';

const ofRun =
  /^\/console\/projects\/(?<projectId>[^/]+)\/runs\/(?<runId>[^/]+)(?:\/trials\/(?<trialId>[^/]+))?\/?$/;

/** Begins to read what the page at an address shows, for the pages that are opened most. Other pages ask for themselves. */
export function askEarly(path: string): void {
  const { projectId, runId, trialId } = ofRun.exec(path)?.groups ?? {};
  if (projectId === undefined || runId === undefined || lastSignedIn() === undefined) return;
  void prefetchQuery(session);
  // Code that does not come is asked for again, and missed, by whoever draws it.
  if (trialId === undefined) {
    void readRun({ projectId, runId });
    import('./pages/runs/run-page.tsx').catch(() => {});
  } else {
    void readTrial({ projectId, runId, trialId });
    import('./pages/trial/trial-page.tsx').catch(() => {});
  }
}
