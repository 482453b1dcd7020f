// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { float, text } from '../src/platform/database/columns.ts';
import type { ConnectedDatabase } from '../src/platform/database/connect.ts';
import { enqueue, enqueueAll } from '../src/platform/jobs/queue.ts';
import { jobStates, openJobs, resultRows, until } from './support/jobs.ts';
import { Drydock } from './support/process.ts';
import { scriptOf } from './support/script.ts';
import { statement } from './support/statement.ts';

// For a long run: DRYDOCK_TEST_LEASE_ROUNDS=200 npx vitest run test/leases.test.ts
const rounds = Number(process.env['DRYDOCK_TEST_LEASE_ROUNDS'] ?? 2);
const seed = Number(process.env['DRYDOCK_TEST_SEED'] ?? Date.now() % 1_000_000);
const lease = 1_500;
const source = new URL('support/lease-worker.mjs', import.meta.url).pathname;

async function open() {
  const connected = await openJobs();
  const { database: db, url } = connected;
  await db.run(statement('test.beginnings', 'create table beginnings (job text, by text)'));
  const started: Drydock[] = [];
  onTestFinished(async () => {
    for (const worker of started) await worker.end('SIGKILL');
  });
  /** A worker in a process of its own. */
  const start = async (patience = 10_000): Promise<Drydock> => {
    const env = {
      DRYDOCK_DATABASE_URL: url,
      DRYDOCK_TEST_LEASE: String(lease),
      DRYDOCK_TEST_PATIENCE: String(patience),
    };
    const worker = new Drydock([], env, { entry: scriptOf(source) });
    started.push(worker);
    return worker.said(/^ready /m);
  };
  return { connected, db, start };
}

const readBeginnings = statement(
  'test.count-beginnings',
  'select job, count(*)::int as count from beginnings group by job order by job',
  { job: text, count: float },
);
const beginnings = async ({ database }: ConnectedDatabase): Promise<Record<string, number>> =>
  Object.fromEntries((await database.rows(readBeginnings)).map(({ job, count }) => [job, count]));

/** Makes every job end at once for the worker that starts it from now on. */
const shorten = statement(
  'test.shorten',
  'update jobs set payload = \'{"job": "a"}\' where kind <> \'tick\'',
);

/** The result of each job except the recurring one. */
const outcomes = async ({ database }: ConnectedDatabase): Promise<string[]> =>
  (await resultRows(database)).flatMap(({ job }) => (job === 'tick' ? [] : [job]));

const ordinary = async ({ database }: ConnectedDatabase) =>
  (await jobStates(database)).filter(({ kind }) => kind !== 'tick');

test('what a killed worker had is taken over when its lease is over', async () => {
  const { connected, db, start } = await open();
  const first = await start();
  await enqueue(db, 'short', { job: 'a', ms: 60_000 });
  await first.said(/^began a$/m);
  await first.end('SIGKILL');
  await db.run(shorten);
  await start();
  await until(async () => (await outcomes(connected)).length === 1);
  const [job] = await ordinary(connected);
  expect(job).toMatchObject({ state: 'done' });
  // More attempts if a slow machine made the second worker lose the lease too.
  expect(job?.attempts).toBeGreaterThanOrEqual(2);
});

test('a worker that stood still past its lease writes nothing when it goes on', {
  tags: ['long'],
}, async () => {
  const { connected, db, start } = await open();
  const first = await start();
  await enqueue(db, 'deaf', { job: 'a', ms: 4_000 });
  await first.said(/^began a$/m);
  first.child.kill('SIGSTOP');
  await db.run(shorten);
  const second = await start();
  await second.said(/^ended a$/m);
  first.child.kill('SIGCONT');
  await first.said(/^ended a$/m);
  await allOverButTicks(connected);
  await Promise.all([first.end(), second.end()]);
  expect(await resultsOf(connected, 'a')).toEqual([String(second.child.pid)]);
  expect(await ordinary(connected)).toMatchObject([{ state: 'done', attempts: 2 }]);
});

test('a job that ends its process every time is given up after its attempts', async () => {
  const { connected, db, start } = await open();
  await enqueue(db, 'crash', { job: 'a' });
  for (const _ of [1, 2]) await (await start().catch(() => undefined))?.outcome();
  const last = await start();
  await until(async () => (await outcomes(connected)).length === 1);
  expect(await ordinary(connected)).toMatchObject([{ state: 'failed', attempts: 2 }]);
  expect(await beginnings(connected)).toEqual({ a: 2 });
  expect(await resultsOf(connected, 'a')).toEqual(['given up']);
  expect(await last.end()).toMatchObject({ code: 0 });
});

test('a worker that is told to end gives its jobs back at once, no attempt spent', async () => {
  const { connected, db, start } = await open();
  const first = await start(200);
  const jobs = ['a', 'b', 'c'].map((job) => ({ kind: 'short', payload: { job, ms: 60_000 } }));
  await enqueueAll(db, [...jobs, { kind: 'deaf', payload: { job: 'd', ms: 60_000 } }]);
  for (const job of 'abcd') await first.said(new RegExp(`^began ${job}$`, 'm'));
  expect(await first.end()).toMatchObject({ code: 0 });
  const back = { state: 'waiting', attempts: 0 };
  expect(await ordinary(connected)).toMatchObject([back, back, back, back]);
  const second = await start(0);
  for (const job of 'abcd') await second.said(new RegExp(`^began ${job}$`, 'm'));
  expect((await ordinary(connected)).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
});

test(`${rounds} rounds of ill-treatment: each job has one result, and none is lost (seed ${seed})`, {
  tags: ['long'],
  timeout: 240_000 + rounds * 15_000,
}, async () => {
  const { connected, db, start } = await open();
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const workers = await Promise.all([start(200), start(200), start(200)]);
  const names: string[] = [];
  const job = (kind: string, ms: number) => {
    const name = `${kind}-${names.length}`;
    names.push(name);
    const organizationId = pick(['A', 'B', 'C']);
    return { kind, payload: { job: name, ms }, onBehalfOf: { organizationId, userId: 'u' } };
  };
  const replaceEnded = async () => {
    // A new worker that takes a crashing job may end before it is ready.
    for (const [at, { child }] of workers.entries())
      if (child.exitCode !== null || child.signalCode !== null)
        workers[at] = await start(200).catch(() => workers[at] as Drydock);
  };
  for (let round = 0; round < rounds; round++) {
    const batch = Array.from({ length: 20 }, () => job(pick(['short', 'short', 'deaf']), random() * 600));
    batch.push(job('crash', 0));
    if (round % 2 === 1) batch.push(job('freeze', 1.5 * lease));
    await enqueueAll(db, batch);
    await replaceEnded();
    await delay(random() * 500);
    const victim = pick(workers);
    const treatment = pick(['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const);
    victim.child.kill(treatment);
    if (treatment === 'SIGSTOP') {
      await delay(1.3 * lease);
      victim.child.kill('SIGCONT');
    }
  }
  await until(
    async () => {
      await replaceEnded();
      return (await ordinary(connected)).every(({ state }) => state === 'done' || state === 'failed');
    },
    20_000 + rounds * 10_000,
  );

  expect((await outcomes(connected)).toSorted()).toEqual(names.toSorted());
  const states = await ordinary(connected);
  expect(states).toHaveLength(names.length);
  const begun = await beginnings(connected);
  for (const name of names.filter((each) => each.startsWith('crash')))
    expect(begun[name]).toBeLessThanOrEqual(2);
  // A frozen job is done, or fails if another worker took it over meanwhile.
  const expected: Record<string, RegExp> = { crash: /^failed 2$/, freeze: /^(done|failed) [12]$/ };
  for (const { kind, state, attempts } of states)
    expect(`${state} ${attempts}`).toMatch(expected[kind] ?? /^done \d+$/);
  const ticks = (await jobStates(db)).filter(
    ({ kind, state }) => kind === 'tick' && /waiting|running/.test(state),
  );
  expect(ticks).toHaveLength(1);
});

async function resultsOf({ database }: ConnectedDatabase, job: string): Promise<string[]> {
  return (await resultRows(database)).flatMap((row) => (row.job === job ? [row.by] : []));
}

async function allOverButTicks(connected: ConnectedDatabase): Promise<void> {
  await until(async () =>
    (await ordinary(connected)).every(({ state }) => state === 'done' || state === 'failed'),
  );
}

/** A deterministic generator for a seed. */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
