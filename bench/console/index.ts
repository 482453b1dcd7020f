import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { createClient } from '../../src/surfaces/client/index.ts';
import { openConsole, sessionOf, startBrowser } from '../../test/support/chromium.ts';
import { programs } from '../../test/support/programs.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { start, stopAll } from '../support/processes.ts';
import { opened, scrolled, watchTasks } from './page.ts';
import { type StaticPage, staticCopy } from './static.ts';

/** Measures the page of a run: bytes, time to interactive, and the effect of many trials. */

if (!programs.chromium.there)
  throw new Error('This benchmark needs Chromium; name one in DRYDOCK_TEST_CHROMIUM');
const rounds = 9;
const key = `sk_${'bench'.repeat(8)}`;
const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
const env = {
  DRYDOCK_DATA_DIR: dataDir,
  DRYDOCK_BOOTSTRAP_KEY: key,
  DRYDOCK_RATE_LIMIT: 'off',
  DRYDOCK_PORT: '0',
};
let browser: Browser | undefined;
let copy: StaticPage | undefined;

try {
  const main = 'dist/program/main.js';
  const service = await start([main, 'serve'], env, /http:\/\/127\.0\.0\.1:(\d+)\/api\/v1/);
  const baseUrl = `http://127.0.0.1:${service.match[1]}`;
  const link = await promisify(execFile)(process.execPath, [main, 'console', 'link'], {
    env: { ...process.env, ...env },
  });
  const session = await sessionOf(baseUrl, link.stdout);
  browser = await startBrowser(() => {});
  /** A fresh browser context with an empty cache, marked as signed in before. */
  const newWindow = async (): Promise<BrowserContext> => {
    const window = await openConsole(browser as Browser, { baseUrl, session });
    await window.addInitScript("localStorage.setItem('drydock-signed-in', '1')");
    return window;
  };

  const small = await ingested(baseUrl, 'small', 60);
  const large = await ingested(baseUrl, 'large', 10_000);
  const { bytes, html } = await loaded(newWindow, small);
  copy = await staticCopy(html, bytes);

  const times = { console: [] as number[], copy: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.console.push(await opened(await newWindow(), small));
    times.copy.push(await opened(await newWindow(), copy.url));
  }
  const kilobytes = (sum: number): string => `${(sum / 1000).toFixed(1)} kB`;
  console.log(
    `First load of the page of a run: ${kilobytes(bytes)} of script, compressed (goal: under 190)\n`,
  );
  console.log(`Until its trials can be clicked, cold (median [low–high] of ${rounds} interleaved rounds)`);
  console.log(
    `the page of a run to a static page with the same bytes: ${show(ratios(times.console, times.copy))} (goal: at most 2)\n`,
  );

  const tasks = { small: [] as number[], large: [] as number[] };
  let blanks = 0;
  const look = async (address: string): Promise<{ longestTask: number; blanks: number }> => {
    const window = await newWindow();
    await watchTasks(window);
    return scrolled(window, address);
  };
  for (let round = 0; round < 5; round++) {
    tasks.small.push((await look(small)).longestTask);
    const seen = await look(large);
    tasks.large.push(seen.longestTask);
    blanks += seen.blanks;
  }
  console.log('Opening a run and scrolling to its end (median [low–high] of 5 interleaved rounds)');
  console.log(
    table([
      ['trials', 'longest task, ms', 'to that of 60 trials'],
      ['60', show(figure(tasks.small), 0), ''],
      ['10,000', show(figure(tasks.large), 0), show(ratios(tasks.large, tasks.small))],
    ]),
  );
  console.log(`Steps at which a row was blank: ${blanks} (goals: none, and no task over 100 ms)`);
} finally {
  await browser?.close();
  await copy?.close();
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}

/** Ingests a run with so many trials, 50 per case, and returns the address of its page. */
async function ingested(baseUrl: string, suiteName: string, trials: number): Promise<string> {
  const api = createClient({ baseUrl, apiKey: key });
  const projects = (await api.listProjects()).items;
  const projectId = (projects.find(({ name }) => name === 'Default') ?? projects[0])?.id as string;
  const { runId } = await api.startEvalIngestRun({ projectId, body: { suiteName } });
  for (let at = 0; at < trials; at += 1_000) {
    const results = Array.from({ length: Math.min(1_000, trials - at) }, (_, n) => resultOf(at + n));
    await api.ingestEvalRunIterations({ projectId, body: { runId, results } });
  }
  await api.finalizeEvalIngestRun({ projectId, body: { runId } });
  return `${baseUrl}/console/projects/${projectId}/runs/${runId}`;
}

function resultOf(n: number) {
  const which = Math.floor(n / 50);
  return {
    caseTitle: `Forecast for city ${which}`,
    query: `What is the weather in city ${which}?`,
    passed: n % 7 !== 0,
    durationMs: 500 + (n % 100),
    model: 'model-1',
    provider: 'provider',
    externalIterationId: `trial-${n}`,
    tokens: { input: 512, output: 64, total: 576 },
  };
}

/** Compressed bytes of script that the page loads with an empty cache, and its rendered HTML. */
async function loaded(
  newWindow: () => Promise<BrowserContext>,
  address: string,
): Promise<{ bytes: number; html: string }> {
  const window = await newWindow();
  const page = await window.newPage();
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (/\.js$/.test(response.url()))
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      );
  });
  await page.goto(address);
  await page.locator('[data-trial]').first().waitFor();
  const html = await page.locator('#app').innerHTML();
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await window.close();
  return { bytes, html };
}
