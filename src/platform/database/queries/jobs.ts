import { type Db, statement } from '../database.ts';

export interface JobRow {
  id: string;
  kind: string;
  payload: unknown;
  attempts: number;
  leaseToken: string;
}

const insert = statement(
  'jobs.insert',
  `insert into jobs (id, kind, payload, unique_key, due_at) values ($1, $2, $3, $4, now() + $5 * interval '1 ms')
   on conflict (kind, unique_key) where due_at is not null do nothing`,
);
const announce = statement<object>('jobs.announce', "select pg_notify('drydock_jobs', '')");
// Served by jobs_due: waiting jobs whose time has come, and running ones whose worker went silent.
const claim = statement<JobRow>(
  'jobs.claim',
  `update jobs set state = 'running', attempts = attempts + 1, lease_token = $1,
     due_at = now() + $2 * interval '1 ms'
   where id in (
     select id from jobs where due_at <= now() and kind = any($3) order by due_at limit $4 for update skip locked)
   returning id, kind, payload, attempts, lease_token as "leaseToken"`,
);
const nextDue = statement<{ wait: number }>(
  'jobs.next-due',
  `select greatest(0, extract(epoch from due_at - now()) * 1000)::float8 as wait
   from jobs where due_at is not null and kind = any($1) order by due_at limit 1`,
);
const extend = statement(
  'jobs.extend',
  `update jobs set due_at = now() + $3 * interval '1 ms'
   where id = $1 and lease_token = $2 and state = 'running'`,
);
const finish = statement(
  'jobs.finish',
  `update jobs set state = 'done', due_at = null, finished_at = now(), last_error = null
   where id = $1 and lease_token = $2 and state = 'running'`,
);
const postpone = statement(
  'jobs.postpone',
  `update jobs set state = 'waiting', due_at = now() + $3 * interval '1 ms', last_error = $4
   where id = $1 and lease_token = $2 and state = 'running'`,
);
const fail = statement(
  'jobs.fail',
  `update jobs set state = 'failed', due_at = null, finished_at = now(), last_error = $3
   where id = $1 and lease_token = $2 and state = 'running'`,
);
const prune = statement('jobs.prune', "delete from jobs where finished_at < now() - interval '7 days'");

export async function insertJob(
  db: Db,
  job: { id: string; kind: string; payload: unknown; uniqueKey: string | null; delay: number },
): Promise<void> {
  await db.run(insert, [job.id, job.kind, JSON.stringify(job.payload), job.uniqueKey, job.delay]);
  // Delivered when the transaction commits.
  await db.rows(announce);
}

export function claimJobs(
  db: Db,
  token: string,
  lease: number,
  kinds: string[],
  most: number,
): Promise<JobRow[]> {
  return db.rows(claim, [token, lease, kinds, most]);
}

/** Milliseconds until a job of these kinds is due; undefined when none waits. */
export async function untilNextJob(db: Db, kinds: string[]): Promise<number | undefined> {
  return (await db.row(nextDue, [kinds]))?.wait;
}

/** False when the lease was lost to another worker; so for the three below. */
export async function extendLease(db: Db, job: JobRow, lease: number): Promise<boolean> {
  return (await db.run(extend, [job.id, job.leaseToken, lease])) === 1;
}

export async function finishJob(db: Db, job: JobRow): Promise<boolean> {
  return (await db.run(finish, [job.id, job.leaseToken])) === 1;
}

export async function postponeJob(db: Db, job: JobRow, delay: number, error: string): Promise<boolean> {
  return (await db.run(postpone, [job.id, job.leaseToken, delay, error])) === 1;
}

export async function failJob(db: Db, job: JobRow, error: string): Promise<boolean> {
  return (await db.run(fail, [job.id, job.leaseToken, error])) === 1;
}

export function pruneJobs(db: Db): Promise<number> {
  return db.run(prune);
}
