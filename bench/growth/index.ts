import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../test/support/cluster.ts';
import type { TestDatabase } from '../../test/support/database.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { start, stopAll } from '../support/processes.ts';
import { copyRun, type Grown, splitIntoMonths } from './fill.ts';
import { pauses } from './pauses.ts';

/**
 * Measures the main reads and writes with a thousand iterations, with a hundred thousand and with five million: one
 * service and one database each, asked in turns. BENCH_ITERATIONS sets the largest, for a quicker look.
 */

const most = Number(process.env['BENCH_ITERATIONS'] ?? 5_000_000);
const sizes = [1_000, 100_000, most];
const perRun = 1_000;
const rounds = 7;
const asks = 20;
const key = `sk_${'bench'.repeat(8)}`;
const program = new URL('../../dist/program/main.js', import.meta.url).pathname;

const questions: [what: string, ask: (grown: Grown, n: number) => Promise<unknown>][] = [
  [
    'runs of a project, a page',
    ({ base, projectId }) => get(`${base}/projects/${projectId}/eval-runs?limit=50`),
  ],
  [
    'runs of a suite, a page',
    (g) => get(`${g.base}/projects/${g.projectId}/eval-suites/${g.suiteId}/runs?limit=50`),
  ],
  ['one run', (g) => get(ofRun(g))],
  ['iterations of a run, a page', (g) => get(`${ofRun(g)}/iterations?limit=50`)],
  ['one trace', (g) => get(`${ofRun(g)}/iterations/${g.iterationId}/trace`)],
  ['events of a run', (g) => get(`${ofRun(g)}/trial-states`)],
  ['two runs compared', (g) => get(`${ofRun(g)}/compare?baseRunId=${g.previousRunId}`)],
  ['a report of 20 results', (g, n) => report(g, n)],
];

const folder = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
const databases: TestDatabase[] = [];
try {
  const all: Grown[] = [];
  for (const iterations of sizes) all.push(await grow(iterations));
  const rows = [['', ...sizes.map((size) => size.toLocaleString('en')), 'ms with the most']];
  for (const [what, ask] of questions) {
    const times = await compare(all, ask);
    const [least] = times as [number[]];
    rows.push([
      what,
      ...times.map((one) => show(ratios(one, least))),
      show(figure(times.at(-1) as number[])),
    ]);
  }
  console.log(`\nTimes to that with a thousand iterations, ${rounds} rounds of ${asks} in turns`);
  console.log(table(rows));
  console.log(await pauses(all.at(-1) as Grown, key));
} finally {
  await stopAll();
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
}

/** In turns, after a round that does not count. */
async function compare(
  all: Grown[],
  ask: (grown: Grown, n: number) => Promise<unknown>,
): Promise<number[][]> {
  const times: number[][] = all.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [place, grown] of all.entries()) {
      const began = performance.now();
      for (let n = 0; n < asks; n++) await ask(grown, round * asks + n);
      if (round > 0) times[place]?.push((performance.now() - began) / asks);
    }
  return times;
}

/** A service whose project holds so many iterations, in runs of a thousand. */
async function grow(iterations: number): Promise<Grown> {
  const database = await startPostgres();
  databases.push(database);
  const env = {
    DRYDOCK_DATA_DIR: join(folder, `data-${iterations}`),
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_PORT: '0',
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_RATE_LIMIT: 'off',
  };
  const { match } = await start([program, 'serve'], env, /API +(\S+)[\s\S]*Docs/);
  const base = match[1] as string;
  const made = await reportInParts(base);
  const client = await database.connect();
  await splitIntoMonths(client);
  const began = performance.now();
  await copyRun(client, { id: made.runId }, iterations / perRun - 1, (done) => {
    if (done % 500 === 0) console.log(`${(done * perRun).toLocaleString('en')} iterations …`);
  });
  const { rows } = await client.query(
    'select id, pg_database_size(current_database()) / 1e6 as megabytes from eval_runs order by id limit 1',
  );
  await client.end();
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const megabytes = Number(rows[0]?.megabytes).toFixed(0);
  console.log(
    `A service with ${iterations.toLocaleString('en')} iterations, ${megabytes} MB, filled in ${seconds} s`,
  );
  const list = await get<{ items: { id: string }[] }>(
    `${base}/projects/${made.projectId}/eval-runs/${made.runId}/iterations?limit=1`,
  );
  return {
    iterations,
    base,
    ...made,
    previousRunId: rows[0]?.id as string,
    iterationId: list.items[0]?.id as string,
    database,
  };
}

async function reportInParts(base: string): Promise<{ projectId: string; suiteId: string; runId: string }> {
  const { id: project } = await post<{ id: string }>(`${base}/projects`, { name: 'Grown' });
  const ingest = (path: string, body: object) =>
    post<{ runId: string; projectId: string; suiteId: string }>(
      `${base}/projects/${project}/eval-ingest/${path}`,
      body,
    );
  const name = { suiteName: 'Growth', externalRunId: 'first' };
  const run = await ingest('runs/start', { ...name, expectedIterations: perRun });
  for (let from = 0; from < perRun; from += 100)
    await ingest('runs/iterations', {
      runId: run.runId,
      results: Array.from({ length: 100 }, (_, n) => result(from + n)),
    });
  await ingest('runs/finalize', { runId: run.runId, externalRunId: 'first' });
  return run;
}

function result(n: number): object {
  return {
    caseTitle: `Case ${n % 50}`,
    externalIterationId: `i-${n}`,
    passed: n % 7 !== 0,
    durationMs: 100 + n,
    tokens: { input: 300, output: 80, total: 380 },
    trace: [
      { role: 'user', content: 'How many ships are in the drydock, and which of them leave this week?' },
      { role: 'assistant', content: `There are ${n}; two of them leave on Friday, as far as the list says.` },
    ],
  };
}

function report({ base, projectId, iterations }: Grown, n: number): Promise<unknown> {
  return post(`${base}/projects/${projectId}/eval-ingest/report`, {
    suiteName: 'Reported',
    externalRunId: `${iterations}-${n}-${performance.now()}`,
    results: Array.from({ length: 20 }, (_, at) => result(at)),
  });
}

function ofRun({ base, projectId, runId }: Grown): string {
  return `${base}/projects/${projectId}/eval-runs/${runId}`;
}

async function get<T>(url: string): Promise<T> {
  return answerOf(await fetch(url, { headers: { authorization: `Bearer ${key}` } }));
}

async function post<T>(url: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return answerOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answerOf<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
