import { bigint, float, listOf, oneOf, text, texts } from '../columns.ts';
import { query } from '../query.ts';

/** A service answers requests; it may work on jobs too. */
export type Role = 'service' | 'worker';

/** Records the heartbeat of a process. */
export const heartbeat = query(
  'replicas.heartbeat',
  `insert into replicas (id, role, version) values (:id, :role, :version)
   on conflict (id) do update set seen_at = now()`,
  { id: text, role: oneOf<Role>(), version: text },
);
export const leave = query('replicas.leave', 'delete from replicas where id = :id', { id: text });
/** Number of other processes that serve requests. */
export const others = query(
  'replicas.others',
  `select count(*) as count from replicas
   where id <> :id and role is distinct from 'worker' and seen_at > now() - interval '15 seconds'`,
  { id: text },
  { count: bigint },
);
/**
 * Books what each key spent here since the last exchange and answers what is left for all replicas together; less than
 * zero is debt.
 */
export const exchange = query(
  'replicas.exchange',
  `insert into rate_buckets as b (key_id, tokens, at)
   select key_id, :burst - spent, clock_timestamp()
   from unnest(:keyIds::text[], :spent::float8[]) as t (key_id, spent) order by key_id
   on conflict (key_id) do update set
     tokens = least(:burst, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * :perSecond::float8)
       + excluded.tokens - :burst,
     at = greatest(b.at, excluded.at)
   returning key_id as "keyId", tokens`,
  { keyIds: texts, spent: listOf(float), burst: float, perSecond: float },
  { keyId: text, tokens: float },
);
export const pruneBuckets = query(
  'replicas.prune-buckets',
  `delete from rate_buckets where at < now() - interval '1 hour'`,
  {},
);
export const prune = query(
  'replicas.prune',
  `delete from replicas where seen_at < now() - interval '1 hour'`,
  {},
);
