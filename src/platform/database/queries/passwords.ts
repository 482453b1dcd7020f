import { orNull, text } from '../columns.ts';
import { query } from '../query.ts';

/** The user with the address, and the password hash if there is one. */
export const ofEmail = query(
  'passwords.of-email',
  `select u.id as "userId", u.email, p.hash from users u left join passwords p on p.user_id = u.id
   where lower(u.email) = lower(:email)`,
  { email: text },
  { userId: text, email: text, hash: orNull(text) },
);
export const ofUser = query(
  'passwords.of-user',
  'select hash from passwords where user_id = :userId',
  { userId: text },
  { hash: text },
);
export const set = query(
  'passwords.set',
  `insert into passwords (user_id, hash) values (:userId, :hash)
   on conflict (user_id) do update set hash = excluded.hash, changed_at = now()`,
  { userId: text, hash: text },
);
