import { type Db, statement } from '../database.ts';
import { type LeasedRow, leaseQueries } from './leases.ts';

export interface JobRow extends LeasedRow {
  payload: unknown;
  userId: string | null;
}

export const jobLeases = leaseQueries<JobRow>('jobs', { payload: 'j.payload', userId: 'j.user_id' });

export interface NewJob {
  id: string;
  kind: string;
  payload: unknown;
  uniqueKey: string | null;
  delay: number;
  /** Empty for the service's own. */
  organizationId: string;
  userId: string | null;
}

// The announcement is made once, and delivered when the transaction commits.
const insert = statement<{ id: string }>(
  'jobs.insert',
  `with added as (
     insert into jobs (id, kind, payload, unique_key, due_at, organization_id, user_id)
     select n.id, n.kind, n.payload, n.unique_key, now() + n.delay * interval '1 ms', n.organization_id, n.user_id
     from unnest($1::text[], $2::text[], $3::jsonb[], $4::text[], $5::float8[], $6::text[], $7::text[])
       as n (id, kind, payload, unique_key, delay, organization_id, user_id)
     on conflict (kind, unique_key) where due_at is not null do nothing
     returning id, kind),
   announced as (
     select pg_notify('${jobLeases.dueChannel}', case when count(distinct kind) = 1 then min(kind) else '' end)
     from added having count(*) > 0)
   select a.id from added a cross join announced`,
);
const prune = statement('jobs.prune', "delete from jobs where finished_at < now() - interval '7 days'");

/** The ids of those that were added; the others share a unique key with an unfinished one. */
export async function insertJobs(db: Db, jobs: readonly NewJob[]): Promise<string[]> {
  const added = await db.rows(insert, [
    jobs.map(({ id }) => id),
    jobs.map(({ kind }) => kind),
    jobs.map(({ payload }) => JSON.stringify(payload)),
    jobs.map(({ uniqueKey }) => uniqueKey),
    jobs.map(({ delay }) => delay),
    jobs.map(({ organizationId }) => organizationId),
    jobs.map(({ userId }) => userId),
  ]);
  return added.map(({ id }) => id);
}

export function pruneJobs(db: Db): Promise<number> {
  return db.run(prune);
}
