import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from './support/database.ts';
import { snapshotOf } from './support/snapshot.ts';

/** Databases are handed on from one test to the next: what one leaves must not be there for another. */

async function withOne(statements: string): Promise<string> {
  const database = await createDatabase();
  const client = await database.connect();
  await client.query(statements);
  await client.end();
  await database.drop();
  return database.url;
}

async function nextOne() {
  const database = await createDatabase();
  const client = await database.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  return { url: database.url, client };
}

const count = "select nextval(pg_get_serial_sequence('webhook_deliveries', 'place'))";

test('the next one holds no row, counts from the start, and has another name', async () => {
  const unused = await createDatabase({ unused: true });
  const fresh = await unused.connect();
  onTestFinished(() => unused.drop());
  onTestFinished(() => fresh.end());
  const url = await withOne(
    `insert into organizations (id, name) values ('o', 'a');
     insert into audit_events (id, actor, action, target) values ('a', 'u', 'x', 'o');
     ${count}`,
  );
  const { url: next, client } = await nextOne();
  expect(next).not.toBe(url);
  expect(await snapshotOf(client)).toEqual(await snapshotOf(fresh));
  expect((await client.query(count)).rows).toEqual([{ nextval: '1' }]);
});

test.each([
  ['a table is altered', 'alter table organizations add column more text'],
  ['a table is made', 'create table more (id text)'],
  ['a function is made', 'create function more() returns int language sql as $$ select 1 $$'],
  ['rows are counted', "insert into organizations (id, name) values ('o', 'a'); analyze organizations"],
  ['what it was made with is gone', 'delete from schema_migrations'],
])('one in which %s is not handed on', async (_, statements) => {
  const url = await withOne(statements);
  const { client } = await nextOne();
  const { rows } = await client.query(
    `select (select count(*) from pg_attribute where attname = 'more')
       + (select count(*) from pg_class where relname = 'more') + (select count(*) from pg_proc where proname = 'more')
       + (select count(*) from pg_class where relname = 'organizations' and reltuples >= 0) as left,
       exists (select from schema_migrations) as made,
       (select count(*) from pg_database where datname = $1) as named`,
    [new URL(url).pathname.slice(1)],
  );
  expect(rows).toEqual([{ left: '0', made: true, named: '0' }]);
});
