// @module-tag long
import { expect, test } from 'vitest';
import { around } from '../../../test/support/db.ts';
import {
  allOver,
  deferred,
  jobStates,
  openJobs,
  result,
  resultRows,
  results,
  until,
  work,
} from '../../../test/support/jobs.ts';
import { scaled } from '../../../test/support/slowdown.ts';
import { statement } from '../../../test/support/statement.ts';
import { cancelJobs, enqueue, enqueueAll } from './queue.ts';
import type { JobKind } from './worker.ts';

/** Stores the payload as the result. */
const note: JobKind = { kind: 'note', handle: async (payload) => result(payload) };
const many = (count: number, kind = 'note') =>
  Array.from({ length: count }, (_, n) => ({ kind, payload: String(n).padStart(4, '0') }));

test('a job enqueued in a transaction runs if and only if the transaction commits', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  await work(connected, [note]);
  await db
    .transaction(async (trx) => {
      await enqueue(trx, 'note', 'lost');
      throw new Error('no');
    })
    .catch(() => {});
  await db.transaction((trx) => enqueue(trx, 'note', 'kept'));
  await allOver(db);
  expect(await results(db)).toEqual(['kept']);
});

test('a new job starts at once, without waiting for a poll', async () => {
  const connected = await openJobs();
  const started = deferred<number>();
  await work(connected, [{ kind: 'prompt', handle: async () => started.resolve(Date.now()) }]);
  const before = Date.now();
  await enqueue(connected.database, 'prompt', {});
  expect((await started.promise) - before).toBeLessThan(scaled(2_000));
});

test('many jobs are enqueued in one statement, and two workers do each exactly once', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const statements: string[] = [];
  const counting = around(db, ({ name }, send) => (statements.push(name), send()));
  const ids = await enqueueAll(counting, many(500));
  expect(statements).toHaveLength(1);
  expect(new Set(ids).size).toBe(500);
  await Promise.all([work(connected, [note]), work(connected, [note])]);
  await allOver(db);
  expect(await results(db)).toEqual(many(500).map(({ payload }) => payload));
});

test('a unique key keeps a second unfinished job out, and lets one in afterwards', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const add = () => enqueue(db, 'note', 'x', { uniqueKey: 'k' });
  const twins = [0, 1].map(() => ({ kind: 'note', payload: 'y', uniqueKey: 'twins' }));
  expect(await add()).toMatch(/^job_/);
  expect(await add()).toBeUndefined();
  expect(await enqueueAll(db, twins)).toHaveLength(1);
  expect(await enqueueAll(db, [])).toEqual([]);
  await work(connected, [note]);
  await allOver(db);
  expect(await add()).toMatch(/^job_/);
});

test('a job is handed the account it acts for', async () => {
  const connected = await openJobs();
  const account = { organizationId: 'org_1', userId: 'usr_1' };
  const handed: unknown[] = [];
  const kind: JobKind = {
    kind: 'act',
    attempts: 1,
    handle: async (payload, _signal, onBehalfOf) => {
      handed.push([payload, onBehalfOf]);
      if (payload === 'fails') throw new Error('no');
    },
    givenUp: (payload, error, onBehalfOf) => async () => void handed.push([payload, error, onBehalfOf]),
  };
  await work(connected, [kind], { concurrency: 1 });
  await enqueue(connected.database, 'act', 'own');
  await enqueue(connected.database, 'act', 'fails', { onBehalfOf: account });
  await allOver(connected.database);
  expect(handed).toHaveLength(3);
  expect(handed).toEqual(
    expect.arrayContaining([
      ['own', undefined],
      ['fails', account],
      ['fails', 'no', account],
    ]),
  );
});

test('a failing job is tried again, later and later, and then given up with its reason', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  let tries = 0;
  const worker = await work(connected, [
    {
      kind: 'broken',
      attempts: 2,
      handle: async () => {
        tries++;
        throw new Error('no luck with sk_abcdefghijklmnop');
      },
      givenUp: (payload, error) => result(payload, error),
    },
  ]);
  await enqueue(db, 'broken', 'it');
  await allOver(db);
  expect(tries).toBe(2);
  const lastError = 'no luck with [redacted]';
  expect(await jobStates(db)).toMatchObject([{ state: 'failed', attempts: 2, lastError }]);
  expect(await resultRows(db)).toEqual([{ job: 'it', by: lastError }]);
  expect(worker.figures()).toMatchObject([{ counts: { claimed: 2, finished: 0, failed: 2, givenUp: 1 } }]);
});

test('a job whose outcome cannot be written is tried again', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  let tries = 0;
  const half: JobKind['handle'] = async () => async (trx) => {
    await result(`try ${++tries}`)(trx);
    if (tries === 1) throw new Error('half-way');
  };
  await work(connected, [{ kind: 'half', handle: half }]);
  await enqueue(db, 'half', {});
  await allOver(db);
  expect(await results(db)).toEqual(['try 2']);
});

test('a recurring job runs again after it ended, also in failure, and several workers share one schedule', async () => {
  const connected = await openJobs();
  let [ticks, failures, atOnce, most] = [0, 0, 0, 0];
  const kinds: JobKind[] = [
    {
      kind: 'tick',
      every: 30,
      handle: async () => {
        most = Math.max(most, ++atOnce);
        await new Promise(setImmediate);
        atOnce--;
        ticks++;
      },
    },
    {
      kind: 'fail',
      every: 30,
      attempts: 1,
      handle: async () => {
        failures++;
        throw new Error('as always');
      },
    },
  ];
  await Promise.all([work(connected, kinds), work(connected, kinds), work(connected, kinds)]);
  await until(() => ticks >= 5 && failures >= 3);
  const open = (await jobStates(connected.database)).filter(({ state }) => /waiting|running/.test(state));
  for (const kind of ['tick', 'fail'])
    expect(open.filter((job) => job.kind === kind).length).toBeLessThanOrEqual(1);
  expect(most).toBe(1);
});

test('cancelling ends what waits at once, and what runs is told and commits nothing', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const [started, told] = [deferred(), deferred<unknown>()];
  const kind: JobKind = {
    kind: 'long',
    handle: async (payload, signal) => {
      signal.addEventListener('abort', () => told.resolve(signal.reason));
      started.resolve();
      await told.promise;
      return result(payload);
    },
  };
  // The lease is so long that only the notification can cause the abort.
  const worker = await work(connected, [kind], { concurrency: 1, lease: 600_000 });
  const running = (await enqueue(db, 'long', 'running')) as string;
  await started.promise;
  const waiting = (await enqueue(db, 'long', 'waiting')) as string;
  expect((await cancelJobs(db, [waiting, running, 'job_none'])).toSorted()).toEqual(
    [running, waiting].toSorted(),
  );
  expect(await told.promise).toMatchObject({ message: 'the lease was lost' });
  await worker.stop(1_000);
  expect(await jobStates(db)).toMatchObject([{ state: 'cancelled' }, { state: 'cancelled' }]);
  expect(await results(db)).toEqual([]);
  expect(await cancelJobs(db, [running, waiting])).toEqual([]);
  expect(worker.figures()).toMatchObject([{ counts: { claimed: 1, finished: 0, lost: 1 }, running: 0 }]);
});

test('cancelling in a transaction that is rolled back cancels nothing', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const id = (await enqueue(db, 'note', 'x')) as string;
  await db
    .transaction(async (trx) => {
      await cancelJobs(trx, [id]);
      throw new Error('no');
    })
    .catch(() => {});
  await work(connected, [note]);
  await allOver(db);
  expect(await results(db)).toEqual(['x']);
});

test('what waits is counted by kind, with the age of the oldest', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const worker = await work(connected, [note, { ...note, kind: 'idle' }], { concurrency: 1 });
  await worker.stop(0);
  await enqueueAll(db, many(3));
  await enqueue(db, 'note', 'later', { delay: 120_000 });
  await db.run(statement('test.age', "update jobs set due_at = due_at - interval '1 minute'"));
  const backlog = await worker.backlog();
  expect(backlog).toMatchObject([
    { kind: 'idle', due: 0, age: 0 },
    { kind: 'note', due: 3 },
  ]);
  expect(backlog[1]?.age).toBeGreaterThanOrEqual(60_000);
});
