import { float, integer, text } from '../columns.ts';
import { query } from '../query.ts';

/** The end of the pause for a subject that is not paused. */
const never = 'to_timestamp(0)';

/**
 * Counts an attempt before its outcome is known, so that concurrent attempts cannot exceed the limit. Returns a row if
 * the attempt is allowed. From `most` attempts on, each begins a pause that is twice as long as the last, up to
 * `longest`; all times are in milliseconds. The clock is read after the row is locked, because the start time of the
 * statement may precede that of earlier attempts.
 */
export const take = query(
  'attempt-limits.take',
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
  'attempt-limits.left',
  `select (extract(epoch from until - clock_timestamp()) * 1000)::float8 as ms from brakes where subject = :subject`,
  { subject: text },
  { ms: float },
);
/** Resets the failures after a success. */
export const clear = query('attempt-limits.clear', 'delete from brakes where subject = :subject', {
  subject: text,
});
/** Removes the failure that was counted in advance, and ends the pause. */
export const releaseAttempt = query(
  'attempt-limits.release',
  `update brakes set attempts = greatest(attempts - 1, 0), until = ${never}
   where subject = :subject`,
  { subject: text },
);
export const prune = query(
  'attempt-limits.prune',
  `delete from brakes where last_at < now() - interval '1 day'`,
  {},
);
