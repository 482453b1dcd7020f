import { float, text } from '../columns.ts';
import { query } from '../query.ts';

/** Pauses a pool, unless it is paused for longer already, and notifies all processes. */
export const pause = query(
  'model-pauses.pause',
  `with written as (
     insert into model_pauses as p (pool, until) values (:pool, now() + :ms * interval '1 ms')
     on conflict (pool) do update set until = greatest(p.until, excluded.until) returning pool)
   select from written, pg_notify('drydock_model_pauses', :pool)`,
  { pool: text, ms: float },
);
/** Milliseconds that a pool stays paused. Returns no row if it is not paused. */
export const left = query(
  'model-pauses.left',
  `select (extract(epoch from until - now()) * 1000)::float8 as ms from model_pauses
   where pool = :pool and until > now()`,
  { pool: text },
  { ms: float },
);
export const prune = query(
  'model-pauses.prune',
  `delete from model_pauses where until < now() - interval '1 hour'`,
  {},
);
