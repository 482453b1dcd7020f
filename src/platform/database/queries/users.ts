import { type Db, statement } from '../database.ts';

export interface UserRow {
  id: string;
  email: string;
  name: string;
  createdAt: number;
}

const users = statement<UserRow>(
  'users.users',
  `select id, email, name, created_at as "createdAt" from users
   where $1::text is null or id = $1 or lower(email) = lower($1) order by id`,
);

const fewUsers = statement<{ several: boolean }>(
  'users.few-users',
  'select count(*) > 1 as several from (select 1 from users limit 2) as few',
);

const insertUserSql = statement(
  'users.insert-user',
  'insert into users (id, email, name) values ($1, $2, $3)',
);

const lockUserSql = statement<object>('users.lock-user', 'select 1 from users where id = $1 for update');
const deleteUserSql = statement('users.delete-user', 'delete from users where id = $1');

export function listUserRows(db: Db): Promise<UserRow[]> {
  return db.rows(users, [null]);
}

export function findUser(db: Db, idOrEmail: string): Promise<UserRow | undefined> {
  return db.row(users, [idOrEmail]);
}

/** Whether there is more than one. */
export async function severalUsers(db: Db): Promise<boolean> {
  return (await db.row(fewUsers))?.several ?? true;
}

export async function insertUser(db: Db, id: string, email: string, name: string): Promise<void> {
  await db.run(insertUserSql, [id, email, name]);
}

/** Until the transaction ends nothing new can belong to this user. */
export async function lockUser(db: Db, id: string): Promise<void> {
  await db.row(lockUserSql, [id]);
}

export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.run(deleteUserSql, [id]);
}
