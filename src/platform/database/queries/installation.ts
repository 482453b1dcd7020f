import { bigint, integer, orNull, text, time } from '../columns.ts';
import { query } from '../query.ts';

/** Facts about the database, for operators. */
export const database = query(
  'installation.database',
  `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
     (select count(*) from users) as users, (select count(*) from organizations) as organizations,
     (select count(*) from console_sessions) as sessions`,
  {},
  { version: text, bytes: bigint, users: bigint, organizations: bigint, sessions: bigint },
);
export const blobs = query(
  'installation.blobs',
  `select (select count(*) from blobs) as count, (select coalesce(sum(size), 0)::bigint from blobs) as bytes,
     (select count(*) from blob_garbage) as "toRemove"`,
  {},
  { count: bigint, bytes: bigint, toRemove: bigint },
);
export const replicas = query(
  'installation.replicas',
  `select id, role, version, seen_at as "seenAt" from replicas
   where seen_at > now() - interval '15 seconds' order by role, id`,
  {},
  { id: text, role: orNull(text), version: orNull(text), seenAt: time },
);
/** Counts only unfinished trials, because there are many finished ones. */
export const queues = query(
  'installation.queues',
  `select kind, count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'running') as running,
     count(*) filter (where state = 'failed') as failed,
     min(due_at) filter (where state = 'waiting' and due_at <= now()) as "oldestDueAt"
   from jobs where due_at is not null or (state = 'failed' and finished_at > now() - interval '7 days') group by kind
   union all
   select 'trials', count(*) filter (where state = 'waiting'), count(*) filter (where state = 'running'), null,
     min(due_at) filter (where state = 'waiting' and due_at <= now())
   from eval_trials where due_at is not null
   order by kind`,
  {},
  { kind: text, waiting: bigint, running: bigint, failed: orNull(bigint), oldestDueAt: orNull(time) },
);
export const failures = query(
  'installation.failures',
  `select id, kind, last_error as error, attempts, finished_at as "failedAt"
   from jobs where state = 'failed' and finished_at is not null order by finished_at desc limit 20`,
  {},
  { id: text, kind: text, error: orNull(text), attempts: integer, failedAt: orNull(time) },
);
export const pauses = query(
  'installation.pauses',
  'select pool, until from model_pauses where until > now()',
  {},
  { pool: text, until: time },
);
