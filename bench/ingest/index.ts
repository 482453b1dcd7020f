import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { EmbeddedDatabase } from '../../src/platform/database/embedded/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { figure, ratios, show } from '../support/figures.ts';
import { comparisons as besides } from '../support/peers.ts';
import { residentMb, start, stopAll } from '../support/processes.ts';

/** Results and artifacts that come from elsewhere: memory while they arrive, rows a second, and what comparing costs. */

const key = `sk_${'bench'.repeat(8)}`;
const mebibyte = 1024 * 1024;
const results = 10_000;
const together = 1_000;
const reporters = 4;
let project: string | undefined;
const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
const embedded = await EmbeddedDatabase.open(dataDir, { exclusive: true }, createLog('error'));
const { host, user, database } = embedded.connection;
const client = new pg.Client({ host, user, database });

try {
  const service = await start(
    ['dist/program/main.js', 'serve'],
    {
      DRYDOCK_DATA_DIR: dataDir,
      DRYDOCK_DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host ?? '')}`,
      DRYDOCK_BOOTSTRAP_KEY: key,
      DRYDOCK_RATE_LIMIT: 'off',
      DRYDOCK_PORT: '0',
    },
    /http:\/\/127\.0\.0\.1:(\d+)\/api\/v1/,
  );
  const port = Number(service.match[1]);
  await client.connect();
  await uploads(port, () => residentMb(service.child));
  await rows(port);
  await comparisons(port);
} finally {
  await stopAll();
  await client.end();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Ten at once, each as large as an artifact may be. */
async function uploads(port: number, resident: () => number): Promise<void> {
  const content = Buffer.alloc(20 * mebibyte, 'x');
  const growth: number[] = [];
  // Warm-up: the first upload loads modules, which the measurement must not count.
  await send(port, 'POST', 'eval-ingest/artifacts', content.subarray(0, mebibyte), 'text/html');
  for (let round = 0; round < 5; round++) {
    const before = resident();
    let most = before;
    const state = { over: false };
    const watch = (async () => {
      while (!state.over) {
        most = Math.max(most, resident());
        await delay(10);
      }
    })();
    await Promise.all(
      Array.from({ length: 10 }, () => send(port, 'POST', 'eval-ingest/artifacts', content, 'text/html')),
    );
    state.over = true;
    await watch;
    growth.push(most - before);
  }
  console.log('Ten uploads of 20 MiB at once (median [low–high] of 5 rounds)');
  console.log(`resident memory grows by ${show(figure(growth), 0)} MiB while 200 MiB arrive\n`);
}

/**
 * Runs in parts, by one reporter and by several at once, beside COPY of the rows that one leaves in the database, into
 * tables with the same indexes.
 */
async function rows(port: number): Promise<void> {
  const one: number[] = [];
  const several: number[] = [];
  const copied: number[] = [];
  const perSecond = (count: number, ms: number): number => (count / ms) * 1000;
  for (let round = 0; round < 7; round++) {
    const { runId, ms } = await ingested(port, `rows ${round}`, results);
    one.push(perSecond(results, ms));
    copied.push(perSecond(results, await copy(runId)));
    const began = performance.now();
    await Promise.all(
      Array.from({ length: reporters }, (_, n) => ingested(port, `several ${round} ${n}`, results)),
    );
    several.push(perSecond(results * reporters, performance.now() - began));
  }
  console.log(
    `${results.toLocaleString('en')} results, ${together} a request (median [low–high] of 7 interleaved rounds)`,
  );
  const ratio = ratios(one, copied);
  besides.push({
    work: 'results a second, one reporter',
    beside: 'COPY of the rows into PostgreSQL',
    ratio,
  });
  console.log(
    `results a second to COPY of the same rows: one reporter ${show(ratio)}, ${reporters} at once ${show(ratios(several, copied))}\n`,
  );
}

async function ingested(
  port: number,
  suiteName: string,
  count: number,
): Promise<{ runId: string; ms: number }> {
  const began = performance.now();
  const { runId } = await json(port, 'eval-ingest/runs/start', { suiteName });
  for (let at = 0; at < count; at += together) {
    const part = Array.from({ length: Math.min(together, count - at) }, (_, n) =>
      resultOf(suiteName, at + n),
    );
    await json(port, 'eval-ingest/runs/iterations', { runId, results: part });
  }
  await json(port, 'eval-ingest/runs/finalize', { runId });
  return { runId, ms: performance.now() - began };
}

/** A reported trial: one of fifty cases, with a query, a tool call and tokens. */
function resultOf(suiteName: string, n: number): object {
  return {
    caseTitle: `Case ${n % 50}`,
    query: `What is the weather in city ${n % 50}?`,
    passed: n % 7 !== 0,
    durationMs: 500 + (n % 100),
    model: 'model-1',
    provider: 'provider',
    externalIterationId: `${suiteName}-${n}`,
    actualToolCalls: [{ toolName: 'weather', arguments: { city: `city ${n % 50}`, unit: 'celsius' } }],
    tokens: { input: 512, output: 64, total: 576 },
  };
}

async function copy(runId: string): Promise<number> {
  let ms = 0;
  for (const table of ['eval_trials', 'eval_results']) {
    const columns = (
      await client.query<{ name: string; json: boolean }>(
        `select attname as name, atttypid = 'jsonb'::regtype as json from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
        [table],
      )
    ).rows;
    await client.query(`create table if not exists bench_${table} (like ${table} including all)`);
    await client.query(`truncate bench_${table}`);
    const { rows: lines } = await client.query<Record<string, string | number | boolean | Date | null>>(
      `select ${columns.map(({ name, json: isJson }) => (isJson ? `${name}::text as ${name}` : name)).join(', ')}
       from ${table} where run_id = $1 order by position`,
      [runId],
    );
    const text = lines.map((row) => `${Object.values(row).map(field).join('\t')}\n`).join('');
    const began = performance.now();
    const into = `copy bench_${table} (${columns.map(({ name }) => name).join(', ')}) from stdin`;
    await pipeline(Readable.from([text]), client.query(copyFrom(into)));
    ms += performance.now() - began;
  }
  return ms;
}

function field(value: string | number | boolean | Date | null): string {
  if (value === null) return '\\N';
  const text = value instanceof Date ? value.toISOString() : `${value}`;
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
}

async function comparisons(port: number): Promise<void> {
  const sizes = [1_000, 10_000] as const;
  const runs = new Map<number, string>();
  for (const size of sizes) {
    await ingested(port, `compared ${size}`, size);
    runs.set(size, (await ingested(port, `compared ${size}`, size)).runId);
  }
  const took = new Map<number, number[]>(sizes.map((size) => [size, []]));
  for (let round = 0; round < 9; round++)
    for (const size of sizes) {
      const began = performance.now();
      await send(port, 'GET', `eval-runs/${runs.get(size)}/compare`);
      took.get(size)?.push(performance.now() - began);
    }
  const perTrial = (size: number): number[] => (took.get(size) ?? []).map((ms) => ms / size);
  console.log('Comparing two runs (median [low–high] of 9 interleaved rounds)');
  console.log(
    `two of 10,000 trials to one second: ${show(figure((took.get(10_000) ?? []).map((ms) => ms / 1000)))}`,
  );
  console.log(`a trial of 10,000 to one of 1,000: ${show(ratios(perTrial(10_000), perTrial(1_000)))}`);
}

async function json(port: number, path: string, body: object): Promise<{ runId: string }> {
  return JSON.parse(await send(port, 'POST', path, Buffer.from(JSON.stringify(body)))) as { runId: string };
}

async function send(
  port: number,
  method: string,
  path: string,
  body?: Buffer,
  type = 'application/json',
): Promise<string> {
  const below = path.startsWith('eval-ingest') ? 'default' : (project ??= await defaultProject(port));
  return ask(port, method, `/projects/${below}/${path}`, body, type);
}

async function defaultProject(port: number): Promise<string> {
  const { items } = JSON.parse(await ask(port, 'GET', '/projects')) as {
    items: { id: string; name: string }[];
  };
  return (items.find(({ name }) => name === 'Default') ?? items[0])?.id as string;
}

function ask(
  port: number,
  method: string,
  path: string,
  body?: Buffer,
  type = 'application/json',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': type, 'content-length': body.length }),
    };
    request({ port, host: '127.0.0.1', method, path: `/api/v1${path}`, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      );
    })
      .on('error', reject)
      .end(body);
  });
}
