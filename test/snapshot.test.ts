import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from './support/database.ts';
import { snapshotOf, textOf } from './support/snapshot.ts';

/** Many tests rest on it: a snapshot that sees nothing lets every write pass. */

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = await database.connect();
  await client.query(
    `insert into organizations (id, name) values ('o', 'a'), ('p', 'b');
     insert into api_keys (id, hash, hint, name) values ('k', convert_to('hashed', 'UTF8'), 'sk', 'k');
     insert into users (id, email, name) values ('u', 'u@example.com', 'u');
     insert into console_sessions (id, hash, user_id, way, address) values ('s', '', 'u', 'link', '')`,
  );
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

test.each([
  ['a new row', 'organizations', "insert into organizations (id, name) values ('q', 'c')"],
  ['a changed row', 'organizations', "update organizations set name = 'c' where id = 'p'"],
  [
    'another row in the place of one',
    'organizations',
    "delete from organizations where id = 'p'; insert into organizations (id, name) values ('r', 'b')",
  ],
  ['a lost row', 'organizations', "delete from organizations where id = 'r'"],
  ['a changed row of a table that use writes to', 'api_keys', "update api_keys set name = 'other'"],
  ['a changed session', 'console_sessions', "update console_sessions set user_agent = 'other'"],
])('a snapshot notices %s, and in which table', async (_, table, statement) => {
  const before = await snapshotOf(client);
  await client.query(statement);
  const after = await snapshotOf(client);
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual([table]);
});

test('a snapshot does not notice reading, locking, upkeep, what was rolled back, nor the use of a key', async () => {
  const before = await snapshotOf(client);
  await client.query("begin; insert into organizations (id, name) values ('z', 'z'); rollback");
  await client.query('begin; select from organizations for update; commit');
  await client.query('update api_keys set last_used_at = now()');
  await client.query("update console_sessions set last_seen_at = now(), address = '::1'");
  await client.query('vacuum freeze');
  expect(await snapshotOf(client)).toEqual(before);
});

test('the text of all tables has what is stored as bytes too', async () => {
  expect(await textOf(client)).toContain('hashed');
});
