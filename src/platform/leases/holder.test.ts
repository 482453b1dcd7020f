// @module-tag long
import { expect, onTestFinished, test } from 'vitest';
import { around, dbOn } from '../../../test/support/db.ts';
import {
  allOver,
  deferred,
  jobStates,
  openJobs,
  result,
  resultRows,
  results,
  silent,
  until,
  work,
} from '../../../test/support/jobs.ts';
import { statement } from '../../../test/support/statement.ts';
import { float, text } from '../database/columns.ts';
import { type Db } from '../database/database.ts';
import { Notifications } from '../database/notifications.ts';
import * as jobs from '../database/queries/jobs.ts';
import { type LeasedRowOf, leaseQueries } from '../database/queries/leases.ts';
import { type Query, valuesOf } from '../database/query.ts';
import { enqueue, enqueueAll } from '../jobs/queue.ts';
import type { JobKind } from '../jobs/worker.ts';
import { type Commit, LeaseHolder, settleWith } from './holder.ts';

/** Simulates the crash of the process that claimed the rows. */
const abandon = statement(
  'test.abandon',
  "update jobs set state = 'running', attempts = :attempts, lease_token = 'gone', due_at = now()",
);

/** Work that ignores its abort signal until it is released. */
function stubborn() {
  const [started, told, letGo, ended] = [deferred(), deferred(), deferred(), deferred()];
  let runs = 0;
  const kind: JobKind = {
    kind: 'stubborn',
    handle: async (payload, signal) => {
      runs++;
      signal.addEventListener('abort', () => told.resolve());
      started.resolve();
      await letGo.promise;
      ended.resolve();
      return result(payload, 'stubborn');
    },
  };
  return { kind, started, told, letGo, ended, runs: () => runs };
}

const willing: JobKind = { kind: 'stubborn', handle: async (payload) => result(payload, 'willing') };

test('a row whose attempts are used up is given up without being begun again', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  await enqueueAll(db, [
    { kind: 'crashes', payload: 'a' },
    { kind: 'crashes', payload: 'b' },
  ]);
  await db.run(abandon, { attempts: 3 });
  let begun = 0;
  const kind: JobKind = {
    kind: 'crashes',
    attempts: 3,
    handle: async () => void begun++,
    givenUp: (payload, error) => result(payload, error),
  };
  const worker = await work(connected, [kind]);
  await allOver(db);
  const lastError = 'All 3 attempts were interrupted';
  const over = { state: 'failed', attempts: 3, lastError };
  expect(await jobStates(db)).toMatchObject([over, over]);
  expect(await resultRows(db)).toEqual([
    { job: 'a', by: lastError },
    { job: 'b', by: lastError },
  ]);
  expect(begun).toBe(0);
  expect(worker.figures()).toMatchObject([{ counts: { claimed: 2, givenUp: 2, failed: 0 } }]);
});

test('one that cannot be given up stays, writes nothing, and is not begun either', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  await enqueue(db, 'crashes', 'a');
  await db.run(abandon, { attempts: 1 });
  const handle = async () => {
    throw new Error('begun');
  };
  const givenUp = () => async (trx: Db) => {
    await result('half')(trx);
    throw new Error('not now');
  };
  await work(connected, [{ kind: 'crashes', attempts: 1, handle, givenUp }]);
  await until(async () => (await jobStates(db))[0]?.state === 'waiting');
  expect(await jobStates(db)).toMatchObject([{ attempts: 1, lastError: 'not now' }]);
  expect(await results(db)).toEqual([]);
});

test('leases are extended together while work goes on', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const { kind, letGo, runs } = stubborn();
  const extensions: number[] = [];
  const counting = around(db, async ({ name }, send) => {
    const answer = await send();
    if (name === 'jobs.extend') extensions.push((answer as unknown[]).length);
    return answer;
  });
  await work(connected, [kind], { lease: 3_000, db: counting });
  await enqueueAll(
    db,
    ['a', 'b', 'c'].map((payload) => ({ kind: 'stubborn', payload })),
  );
  await until(() => runs() === 3);
  await work(connected, [willing]);
  // Waits longer than a lease lasts without extension.
  await until(() => extensions.length >= 5, 30_000);
  expect(extensions.slice(-4)).toEqual([3, 3, 3, 3]);
  letGo.resolve();
  await allOver(db);
  expect(await resultRows(db)).toEqual(['a', 'b', 'c'].map((job) => ({ job, by: 'stubborn' })));
});

test.each(['fail', 'hang'])(
  'work whose lease cannot be extended (attempts to %s) is told before the end, and writes nothing',
  async (how) => {
    const connected = await openJobs();
    const { database: db } = connected;
    const { kind, started, told, letGo, runs } = stubborn();
    const cutOff = around(db, ({ name }, send) => {
      if (name !== 'jobs.extend') return send();
      return how === 'fail' ? Promise.reject(new Error('no route')) : new Promise(() => {});
    });
    const worker = await work(connected, [kind], { lease: 4_000, db: cutOff });
    await enqueue(db, 'stubborn', 'x');
    await started.promise;
    await told.promise;
    const held = statement(
      'test.left',
      'select extract(epoch from due_at - clock_timestamp())::float8 as left from jobs',
      { left: float },
    );
    expect((await db.row(held))?.left).toBeGreaterThan(0);
    // The lease has expired but the work has not ended: another process may claim the row.
    await until(async () => ((await db.row(held))?.left ?? 1) < 0);
    await enqueue(db, 'stubborn', 'wakes it');
    await until(() => runs() === 2);
    await work(connected, [willing], { lease: 60_000 });
    await until(async () => (await results(db)).includes('x'));
    letGo.resolve();
    await until(() => worker.figures()[0]?.running === 0);
    expect((await resultRows(db)).filter(({ job }) => job === 'x')).toEqual([{ job: 'x', by: 'willing' }]);
    expect(runs()).toBe(2);
  },
);

test('a worker that lost its row commits nothing; the one that took over does', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const { kind, started, letGo, ended } = stubborn();
  const first = await work(connected, [kind], { lease: 60_000 });
  await enqueue(db, 'stubborn', 'x');
  await started.promise;
  await db.run(statement('test.take', "update jobs set lease_token = 'taken'"));
  // The work completes while its process still assumes that it holds the lease.
  letGo.resolve();
  await ended.promise;
  await first.stop(1_000);
  expect(await results(db)).toEqual([]);
  await db.run(abandon, { attempts: 1 });
  await work(connected, [willing]);
  await allOver(db);
  expect(await resultRows(db)).toEqual([{ job: 'x', by: 'willing' }]);
});

test('a stop waits for its patience, then gives back what is left, its attempt not spent', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const patient: JobKind = {
    kind: 'patient',
    handle: async (payload, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      signal.throwIfAborted();
      return result(payload, 'first');
    },
  };
  const { kind, started, told, letGo } = stubborn();
  const worker = await work(connected, [patient, kind]);
  await enqueueAll(db, [
    { kind: 'patient', payload: 'in time' },
    { kind: 'stubborn', payload: 'too long' },
  ]);
  await started.promise;
  const other = await work(connected, [{ ...willing, handle: async (payload) => result(payload, 'second') }]);
  const stopping = worker.stop(400);
  await enqueue(db, 'patient', 'too late for it');
  await told.promise;
  await stopping;
  await until(async () => (await results(db)).length === 2);
  letGo.resolve();
  const states = await jobStates(db);
  expect(states.map(({ state, attempts }) => `${state} ${attempts}`)).toEqual([
    'done 1',
    'done 1',
    'waiting 0',
  ]);
  expect(await resultRows(db)).toEqual([
    { job: 'in time', by: 'first' },
    { job: 'too long', by: 'second' },
  ]);
  expect(worker.figures().map(({ counts }) => counts.released)).toEqual([0, 1]);
  expect(other.figures()[0]?.counts.finished).toBe(1);
});

/** Jobs that run until the test ends them, `atOnce` of them concurrently. */
function turns(atOnce: number) {
  const begun: { organization: string; end: () => void }[] = [];
  let ended = 0;
  const handle: JobKind['handle'] = async (_payload, _signal, onBehalfOf) => {
    const { promise, resolve } = deferred();
    begun.push({ organization: onBehalfOf?.organizationId ?? '', end: resolve });
    await promise;
  };
  return {
    handle,
    begun: () => begun.map(({ organization }) => organization).join(''),
    /** Ends the oldest running job and waits until another one has started. */
    next: async () => {
      begun[ended++]?.end();
      await until(() => begun.length === ended + atOnce);
    },
    finish: async (db: Db) => {
      await db.run(statement('test.clear', "delete from jobs where state = 'waiting'"));
      for (const { end } of begun) end();
    },
  };
}

const jobsOf = (organizationId: string, count: number, kind = 'turn') =>
  Array.from({ length: count }, () => ({ kind, payload: {}, onBehalfOf: { organizationId, userId: 'u' } }));

test.each([
  { slots: 1, before: 'A', after: 'BABABA' },
  // From the third job on, each organization has half of the slots.
  { slots: 4, before: 'AAAA', after: 'BBAABBAABB' },
])('with $slots slots a backlog of one organization does not hold up another', async (given) => {
  const { slots, before, after } = given;
  const connected = await openJobs();
  const { database: db } = connected;
  const started = turns(slots);
  await enqueueAll(db, jobsOf('A', 40));
  await work(connected, [{ kind: 'turn', handle: started.handle }], { concurrency: slots });
  await until(() => started.begun() === before);
  await enqueueAll(db, jobsOf('B', 10));
  for (const _ of after) await started.next();
  expect(started.begun()).toBe(before + after);
  await started.finish(db);
});

test('organizations are weighed over all processes', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  await enqueueAll(db, jobsOf('A', 20));
  const workers = [turns(1), turns(1), turns(1)];
  for (const { handle } of workers) await work(connected, [{ kind: 'turn', handle }], { concurrency: 1 });
  await until(() => workers.every((each) => each.begun() === 'A'));
  await enqueueAll(db, jobsOf('B', 1));
  await workers[2]?.next();
  expect(workers[2]?.begun()).toBe('AB');
  for (const each of workers) await each.finish(db);
});

test('a kind takes no more slots than it may, and leaves the others to the rest', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const [narrow, wide] = [turns(2), turns(3)];
  await enqueueAll(db, [...jobsOf('A', 9, 'narrow'), ...jobsOf('A', 9, 'wide')]);
  const worker = await work(
    connected,
    [
      { kind: 'narrow', concurrency: 2, handle: narrow.handle },
      { kind: 'wide', handle: wide.handle },
    ],
    { concurrency: 5 },
  );
  await until(() => narrow.begun().length + wide.begun().length === 5);
  expect(worker.figures()).toMatchObject([
    { kind: 'narrow', running: 2 },
    { kind: 'wide', running: 3 },
  ]);
  await narrow.next();
  await wide.next();
  for (const each of [narrow, wide]) await each.finish(db);
});

test('one statement a wake takes rows of all kinds', async () => {
  const connected = await openJobs();
  const { database: db } = connected;
  const kinds = Array.from({ length: 6 }, (_, n): JobKind => ({ kind: `k${n}`, handle: async () => {} }));
  await enqueueAll(
    db,
    kinds.map(({ kind }) => ({ kind, payload: {} })),
  );
  const took: number[] = [];
  const counting = around(db, async ({ name }, send) => {
    const answer = await send();
    if (name === 'jobs.claim')
      took.push((answer as { id: unknown }[]).filter(({ id }) => id !== null).length);
    return answer;
  });
  await work(connected, kinds, { concurrency: 10, db: counting });
  await allOver(db);
  expect(took[0]).toBe(6);
});

test('what a claim reads grows with the organizations that have work, not with the backlog', async () => {
  const { database: db, dial } = await openJobs();
  const client = await dial();
  onTestFinished(() => client.end());
  const fill = statement(
    'test.fill',
    `insert into jobs (id, kind, payload, organization_id, due_at)
     select gen_random_uuid(), 'k' || n % 2, '{}', case when n % 10 > 0 then 'A' else 'B' || n / 10 % 5 end, now()
     from generate_series(1, :count) n`,
  );
  /** The number of database pages that the claim reads. */
  const read = async (): Promise<number> => {
    let pages = 0;
    const explaining = Object.create(dbOn(client), {
      rows: {
        value: async (query: Query, values: Record<string, unknown>) => {
          const explain = 'explain (analyze, buffers, format json) ';
          const { rows } = await client.query(explain + query.text, valuesOf(query, values));
          const plan = rows[0]['QUERY PLAN'][0].Plan;
          pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
          return [];
        },
      },
    }) as Db;
    const kinds = ['k0', 'k1', 'k2'].map((kind) => ({ kind, most: 4, attempts: 5 }));
    await client.query('begin');
    await jobs.leases.claim(explaining, { token: 't', lease: 1_000, most: 4, kinds, except: [], served: [] });
    await client.query('rollback');
    return pages;
  };
  await db.run(fill, { count: 300 });
  const few = await read();
  expect(few).toBeGreaterThan(0);
  await db.run(fill, { count: 30_000 });
  expect(await read()).toBeLessThan(2 * few);
});

test('another table with the same columns works the same', async () => {
  const { database: db, dial } = await openJobs();
  await db.run(
    statement(
      'test.trials',
      `create table test_trials (id text primary key, kind text not null, organization_id text collate "C" not null,
         state text not null default 'waiting', due_at timestamptz(3) default now(), attempts int not null default 0,
         lease_token text, last_error text, finished_at timestamptz(3), question text not null)`,
    ),
  );
  await db.run(
    statement(
      'test.add-trials',
      "insert into test_trials (id, kind, organization_id, question) select 't' || n, 'trial', 'o', 'q' || n from generate_series(1, 5) n",
    ),
  );
  const notifications = new Notifications({ dial, log: silent });
  await notifications.start();
  const queries = leaseQueries('test_trials', { question: text });
  const holder = new LeaseHolder<LeasedRowOf<{ question: typeof text }>, Commit>({
    db,
    notifications,
    queries,
    kinds: [
      {
        kind: 'trial',
        attempts: 1,
        concurrency: 2,
        work: async ({ question }) => result(question),
        settle: (row, end, commit) => settleWith(db, queries, row, end, [commit]),
      },
    ],
    concurrency: 2,
    lease: 10_000,
    log: silent,
  });
  holder.start();
  await until(async () => (await results(db)).length === 5);
  await holder.stop(1_000);
  await notifications.stop();
  expect(await results(db)).toEqual(['q1', 'q2', 'q3', 'q4', 'q5']);
});
