import { flag, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

export const users = table('users', {
  id: text,
  email: text,
  name: text,
  imageUrl: orNull(text),
  createdAt: time,
  updatedAt: time,
});

/** All users, or the one with this ID or email address. */
export const list = query(
  'users.list',
  `select id, email, name, operator, created_at as "createdAt" from users
   where :idOrEmail::text is null or id = :idOrEmail or lower(email) = lower(:idOrEmail) order by id`,
  { idOrEmail: orNull(text) },
  { ...users.pick(['id', 'email', 'name', 'createdAt']), operator: flag },
);
export type UserRow = RowOf<typeof list.gives>;

export const several = query(
  'users.several',
  'select count(*) > 1 as several from (select 1 from users limit 2) as few',
  {},
  { several: flag },
);
const written = ['id', 'email', 'name'] as const;
export const insert = query('users.insert', users.insert(written), users.pick(written));
/** Locks a user until the transaction ends, so that no row that references the user can be inserted. */
export const lock = query(
  'users.lock',
  'select id from users where id = :id for update',
  { id: text },
  { id: text },
);
export const remove = query('users.delete', 'delete from users where id = :id', { id: text });

/** Makes a user an operator of the installation, or not. */
export const setOperator = query(
  'users.set-operator',
  'update users set operator = :operator where id = :id',
  {
    id: text,
    operator: flag,
  },
);
export const firstOperator = query(
  'users.first-operator',
  'select id, email from users where operator order by id limit 1',
  {},
  users.pick(['id', 'email']),
);
