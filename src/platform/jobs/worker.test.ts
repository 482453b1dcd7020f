import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { loadConfig } from '../config/load.ts';
import { type ConnectedDatabase, connectDatabase } from '../database/connect.ts';
import type { Db } from '../database/database.ts';
import { statement } from '../database/database.ts';
import { Notifications } from '../database/notifications.ts';
import { createLog } from '../log.ts';
import { enqueue } from './queue.ts';
import { type JobKind, Worker } from './worker.ts';

const log = createLog('silent');

async function open(): Promise<ConnectedDatabase> {
  const database = await createDatabase();
  const connected = await connectDatabase(
    loadConfig({ DRYDOCK_DATABASE_URL: database.url }).config,
    { exclusive: false },
    log,
  );
  onTestFinished(async () => {
    await connected.close();
    await database.drop();
  });
  return connected;
}

async function work(connected: ConnectedDatabase, kinds: JobKind[], lease?: number): Promise<Worker> {
  const notifications = new Notifications({ dial: connected.dial, log });
  await notifications.start();
  const worker = new Worker({
    db: connected.database,
    notifications,
    kinds,
    log,
    ...(lease && { lease }),
  });
  await worker.start();
  onTestFinished(async () => {
    await worker.stop(1_000);
    await notifications.stop();
  });
  return worker;
}

const jobs = statement<{ state: string; attempts: number; lastError: string | null }>(
  'test.jobs',
  'select state, attempts, last_error as "lastError" from jobs order by id',
);
const makeResults = statement('test.results', 'create table results (job integer primary key)');
const addResult = statement('test.add', 'insert into results values ($1)');
const results = statement<{ job: number }>('test.read', 'select job from results order by job');

function deferred<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

async function until(check: () => Promise<boolean>): Promise<void> {
  await expect.poll(check, { timeout: 10_000, interval: 20 }).toBe(true);
}

const allDone = (db: Db) => async () => (await db.rows(jobs)).every(({ state }) => state === 'done');

test('a job enqueued in a transaction runs if and only if the transaction commits', async () => {
  const { database: db, ...connected } = await open();
  const ran: unknown[] = [];
  const first = deferred();
  await work({ database: db, ...connected }, [
    {
      kind: 'note',
      handle: async (payload) => {
        ran.push(payload);
        first.resolve();
      },
    },
  ]);
  await db
    .transaction(async (trx) => {
      await enqueue(trx, 'note', 'lost');
      throw new Error('no');
    })
    .catch(() => {});
  await db.transaction((trx) => enqueue(trx, 'note', 'kept'));
  await first.promise;
  await until(allDone(db));
  expect(ran).toEqual(['kept']);
});

test('a new job starts at once, without waiting for a poll', async () => {
  const connected = await open();
  const started = deferred<number>();
  await work(connected, [{ kind: 'prompt', handle: async () => started.resolve(Date.now()) }]);
  const before = Date.now();
  await enqueue(connected.database, 'prompt', {});
  expect((await started.promise) - before).toBeLessThan(2_000);
});

test('two workers do every job exactly once', async () => {
  const connected = await open();
  const { database: db } = connected;
  await db.run(makeResults);
  const kind: JobKind = {
    kind: 'count',
    handle: async (n) => async (trx) => void (await trx.run(addResult, [n])),
  };
  for (let n = 0; n < 200; n++) await enqueue(db, 'count', n);
  await Promise.all([work(connected, [kind]), work(connected, [kind])]);
  await until(allDone(db));
  expect((await db.rows(results)).map(({ job }) => job)).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test('a worker that lost its lease commits nothing; the one that took over does', async () => {
  const connected = await open();
  const { database: db } = connected;
  await db.run(makeResults);
  const hang = deferred();
  const taken = deferred();
  let runs = 0;
  const kind: JobKind = {
    kind: 'slow',
    handle: async () => {
      const run = ++runs;
      taken.resolve();
      if (run === 1) await hang.promise;
      return async (trx) => void (await trx.run(addResult, [run]));
    },
  };
  const first = await work(connected, [kind], 600);
  await enqueue(db, 'slow', {});
  await taken.promise;
  // As if the first worker's process stood still: its lease is over and nobody extends it.
  await db.run(statement('test.expire', "update jobs set lease_token = 'gone', due_at = now()"));
  await work(connected, [kind], 600);
  await until(allDone(db));
  hang.resolve();
  await first.stop(1_000);
  expect(await db.rows(results)).toEqual([{ job: 2 }]);
});

test('a failing job is tried again, later and later, and then given up with its reason', async () => {
  const connected = await open();
  const { database: db } = connected;
  let tries = 0;
  await work(connected, [
    {
      kind: 'broken',
      attempts: 2,
      handle: async () => {
        tries++;
        throw new Error('no luck with sk_abcdefghijklmnop');
      },
    },
  ]);
  await enqueue(db, 'broken', {});
  await until(async () => (await db.rows(jobs))[0]?.state === 'failed');
  expect(tries).toBe(2);
  expect(await db.rows(jobs)).toEqual([
    { state: 'failed', attempts: 2, lastError: 'no luck with [redacted]' },
  ]);
});

test('a recurring job runs again after it ended, and several workers share one schedule', async () => {
  const connected = await open();
  let runs = 0;
  const kind: JobKind = { kind: 'tick', every: 50, handle: async () => void runs++ };
  await Promise.all([work(connected, [kind]), work(connected, [kind])]);
  await until(async () => runs >= 3);
  const waiting = (await connected.database.rows(jobs)).filter(({ state }) => state !== 'done');
  expect(waiting.length).toBeLessThanOrEqual(1);
});

test('stopping waits for the job under way and tells it after its patience', async () => {
  const connected = await open();
  const started = deferred();
  const worker = await work(connected, [
    {
      kind: 'patient',
      handle: async (_payload, signal) => {
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Error('told to stop');
      },
    },
  ]);
  await enqueue(connected.database, 'patient', {});
  await started.promise;
  await worker.stop(50);
  expect(await connected.database.rows(jobs)).toMatchObject([
    { state: 'waiting', attempts: 0, lastError: null },
  ]);
});
