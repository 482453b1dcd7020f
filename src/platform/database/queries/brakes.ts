import { float, integer, text } from '../columns.ts';
import { query } from '../query.ts';

/**
 * Counts an attempt before anybody knows whether it fails, so that many at once are no way around it. A row when there
 * was none, or its pause is over; from `most` on each attempt begins a pause that is twice as long. Milliseconds.
 */
export const take = query(
  'brakes.take',
  `insert into brakes as b (subject, attempts, last_at, until)
   values (:subject, 1, clock_timestamp(), clock_timestamp())
   on conflict (subject) do update set
     attempts = case when b.last_at < excluded.last_at - :memory * interval '1 ms' then 1 else b.attempts + 1 end,
     last_at = excluded.last_at,
     until = case
       when b.last_at < excluded.last_at - :memory * interval '1 ms' or b.attempts + 1 < :most then excluded.last_at
       else excluded.last_at + least(:longest, :first * 2 ^ least(b.attempts + 1 - :most, 30)) * interval '1 ms' end
   where b.until <= excluded.last_at
   returning subject`,
  { subject: text, most: integer, memory: float, first: float, longest: float },
  { subject: text },
);
/** Milliseconds until the pause is over. */
export const left = query(
  'brakes.left',
  `select (extract(epoch from until - clock_timestamp()) * 1000)::float8 as ms from brakes where subject = :subject`,
  { subject: text },
  { ms: float },
);
/** It did not fail, nor did those before. */
export const clear = query('brakes.clear', 'delete from brakes where subject = :subject', { subject: text });
/** It did not fail. */
export const giveBack = query(
  'brakes.give-back',
  `update brakes set attempts = greatest(attempts - 1, 0), until = least(until, clock_timestamp())
   where subject = :subject`,
  { subject: text },
);
export const prune = query('brakes.prune', `delete from brakes where last_at < now() - interval '1 day'`, {});
