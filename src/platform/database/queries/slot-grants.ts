import { integer, text } from '../columns.ts';
import { query } from '../query.ts';

/** Serializes exchanges for a pool, so that the holders never have more than all its slots. */
export const lockPool = query(
  'slot-grants.lock-pool',
  `select from pg_advisory_xact_lock(hashtextextended('slots ' || :pool, 4700))`,
  { pool: text },
);
/**
 * Grants slots to a holder. Silent holders lose theirs. While another holder has less than an equal share and wants
 * more, no holder exceeds that share. With fewer slots than holders, the least recently served one comes first. Slots
 * in use count until they are returned.
 */
export const exchange = query(
  'slot-grants.exchange',
  `with others as (
     select wanted, granted, served_at from slot_grants
     where pool = :pool and holder <> :holder and expires_at > now()),
   mine as (
     select coalesce(max(served_at), now()) as served_at from slot_grants where pool = :pool and holder = :holder),
   shares as (
     select coalesce(sum(granted), 0) as taken, count(*) filter (where wanted > 0) + 1 as sharers,
       count(*) filter (where wanted > 0 and granted = 0 and served_at < (select served_at from mine)) as ahead
     from others),
   fair as (
     select taken, ahead, :most::int / sharers as share,
       exists (select from others where granted < least(wanted, greatest(:most::int / sharers, 1))) as short from shares),
   chosen as (
     select greatest(least(:wanted::int, :most::int - taken, case
         when not short then :most::int
         when share > 0 then share
         else (ahead < :most::int - taken)::int end), 0)::int as usable
     from fair),
   kept as (
     insert into slot_grants as g (pool, holder, wanted, granted, expires_at)
     select :pool, :holder, :wanted, greatest(usable, :busy::int), now() + interval '10 seconds' from chosen
     on conflict (pool, holder) do update
       set wanted = excluded.wanted, granted = excluded.granted, expires_at = excluded.expires_at,
         served_at = case when excluded.granted > 0 then now() else g.served_at end)
   select usable from chosen`,
  { pool: text, holder: text, most: integer, wanted: integer, busy: integer },
  { usable: integer },
);
/** Takes one slot without waiting. Writes no row if all are taken. */
export const take = query(
  'slot-grants.take',
  `insert into slot_grants (pool, holder, wanted, granted, expires_at)
   select :pool, :holder, 1, 1, now() + :seconds::int * interval '1 second'
   where (select coalesce(sum(granted), 0) from slot_grants where pool = :pool and expires_at > now()) < :most::int`,
  { pool: text, holder: text, most: integer, seconds: integer },
);
export const renew = query(
  'slot-grants.renew',
  "update slot_grants set expires_at = now() + :seconds::int * interval '1 second' where holder = :holder",
  { holder: text, seconds: integer },
);
export const leave = query('slot-grants.leave', 'delete from slot_grants where holder = :holder', {
  holder: text,
});
export const prune = query(
  'slot-grants.prune',
  `delete from slot_grants where expires_at < now() - interval '1 hour'`,
  {},
);
