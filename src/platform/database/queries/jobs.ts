import { float, json, listOf, orNull, text, texts } from '../columns.ts';
import { query } from '../query.ts';
import { type LeasedRowOf, leaseQueries } from './leases.ts';

const own = { payload: json<unknown>(), userId: orNull(text) };
export type JobRow = LeasedRowOf<typeof own>;
export const leases = leaseQueries('jobs', own);

/**
 * Returns the inserted jobs; others have the unique key of an unfinished job. The organization is empty for jobs of the
 * service itself. One notification is sent, when the transaction commits.
 */
export const insert = query(
  'jobs.insert',
  `with added as (
     insert into jobs (id, kind, payload, unique_key, due_at, organization_id, user_id)
     select n.id, n.kind, n.payload, n.unique_key, now() + n.delay * interval '1 ms', n.organization_id, n.user_id
     from unnest(:ids::text[], :kinds::text[], :payloads::jsonb[], :uniqueKeys::text[], :delays::float8[],
         :organizationIds::text[], :userIds::text[])
       as n (id, kind, payload, unique_key, delay, organization_id, user_id)
     on conflict (kind, unique_key) where due_at is not null do nothing
     returning id, kind),
   announced as (
     select pg_notify('${leases.dueChannel}', case when count(distinct kind) = 1 then min(kind) else '' end)
     from added having count(*) > 0)
   select a.id from added a cross join announced`,
  {
    ids: texts,
    kinds: texts,
    payloads: listOf(json<unknown>()),
    uniqueKeys: listOf(orNull(text)),
    delays: listOf(float),
    organizationIds: texts,
    userIds: listOf(orNull(text)),
  },
  { id: text },
);
export const prune = query(
  'jobs.prune',
  "delete from jobs where finished_at < now() - interval '7 days'",
  {},
);
