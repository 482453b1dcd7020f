import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { createClient } from '../../src/surfaces/client/index.ts';
import { sessionOf, startBrowser } from './chromium.ts';
import { type AtEnd, place } from './process.ts';

export type Console = Awaited<ReturnType<typeof startConsole>>;

/** The service and the browser that the tests of a file share. */
export interface Shared {
  service: Console;
  browser: Browser;
}

/** Tests with a browser. */
export function inBrowser(tests: (shared: Shared) => void): void {
  describe('in a browser', { tags: ['chromium'] }, () => {
    const shared = {} as Shared;
    const ends: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      const atEnd: AtEnd = (end) => void ends.push(end);
      const [service, browser] = await Promise.all([startConsole(atEnd), startBrowser(atEnd)]);
      Object.assign(shared, { service, browser });
    });
    afterAll(() => Promise.all(ends.map((end) => end())));
    tests(shared);
  });
}

/** A service with a run of the demo suite, in which one case fails. */
export async function startConsole(atEnd: AtEnd = onTestFinished) {
  const home = await place(undefined, atEnd);
  // The demo server is a command, which a service with several users does not run by default.
  const local = { DRYDOCK_ALLOW_STDIO: 'true', DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const drydock = await home.serve(local);
  const key = drydock.key as string;
  const baseUrl = new URL(drydock.baseUrl).origin;
  const api = createClient({ baseUrl, apiKey: key });
  const [project] = (await api.listProjects()).items;
  const projectId = project?.id as string;
  const [suite] = (await api.listEvalSuites({ projectId })).items;
  const [server] = (await api.listProjectServers({ projectId })).items;
  const { runId } = await api.createEvalRun({ projectId, body: { suiteId: suite?.id } });
  for await (const event of api.watchEvalRun({ projectId, runId })) if (event.type === 'run.decided') break;
  const session = await sessionOf(baseUrl, (await home.run(['console', 'link'])).stdout);
  return { home, drydock, baseUrl, key, session, api, projectId, runId, serverId: server?.id as string };
}
