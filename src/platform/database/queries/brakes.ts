import { float, integer, text } from '../columns.ts';
import { query } from '../query.ts';

/** When the pause was over of what has none. */
const never = 'to_timestamp(0)';

/**
 * Counts an attempt before anybody knows whether it fails, so that many at once are no way around it. A row when there
 * was none, or its pause is over; from `most` on each attempt begins a pause that is twice as long. Milliseconds. The time
 * is read when it is this one's turn: what was read before would lie before that of those who came first.
 */
export const take = query(
  'brakes.take',
  `insert into brakes as b (subject, attempts, last_at, until)
   values (:subject, 1, clock_timestamp(), ${never})
   on conflict (subject) do update set
     attempts = case when b.last_at < clock_timestamp() - :memory * interval '1 ms' then 1 else b.attempts + 1 end,
     last_at = clock_timestamp(),
     until = case
       when b.last_at < clock_timestamp() - :memory * interval '1 ms' or b.attempts + 1 < :most then ${never}
       else clock_timestamp() + least(:longest, :first * 2 ^ least(b.attempts + 1 - :most, 30)) * interval '1 ms' end
   where b.until <= clock_timestamp()
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
/** Resets the failures after a success. */
export const clear = query('brakes.clear', 'delete from brakes where subject = :subject', { subject: text });
/** Removes the failure that was counted in advance. */
export const giveBack = query(
  'brakes.give-back',
  `update brakes set attempts = greatest(attempts - 1, 0), until = ${never}
   where subject = :subject`,
  { subject: text },
);
export const prune = query('brakes.prune', `delete from brakes where last_at < now() - interval '1 day'`, {});
