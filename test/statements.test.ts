import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Query, queries } from '../src/platform/database/query.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';
import { describeStatement } from './support/describe-statement.ts';

/** Every query is held against the migrated schema: what it takes, what it gives, and how it finds its rows. */

const folder = new URL('../src/platform/database/queries/', import.meta.url);
for (const file of await readdir(folder)) await import(new URL(file, folder).href);

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ unused: true });
  client = await database.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const all = [...queries.values()]
  // Test files that ran before in this process have some of their own.
  .filter(({ name }) => !/^test[._]/.test(name))
  .map((query) => [query.name, query] as const);

describe.each(all)('%s', (_, query) => {
  test('takes and gives what it says', async () => {
    const { parameters, columns } = await describeStatement(client, query.text);
    expect(parameters).toEqual(query.order.map(([name]) => query.takes[name]?.type));
    const given = Object.entries(query.gives).map(([name, { type }]) => ({ name, type }));
    const said = columns.map(({ name, type }) => ({ name, type: type.replace('(3)', '') }));
    expect(byName(said)).toEqual(byName(given));
    expect(columns.filter((column) => mayLie(query, column))).toEqual([]);
  });
});

/** A column that may be null is declared so; one that may not, too, unless a join can leave it empty. */
function mayLie(query: Query, { name, notNull }: { name: string; notNull: boolean | undefined }): boolean {
  if (notNull === undefined) return false;
  const declared = query.gives[name]?.nullable ?? false;
  return declared ? notNull && !/left join|full join/.test(query.text) : !notNull;
}

const lists = all.filter(([, { index, sorts }]) => index !== undefined && !sorts);

describe.each(lists)('%s', (_, query) => {
  test(`is served by ${query.index}, in its order`, async () => {
    await client.query('begin');
    // On a table that is nearly empty anything is quick; with many rows only the index is.
    await client.query('set local enable_seqscan = off; set local enable_bitmapscan = off');
    await dropRivals(query.index as string);
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `explain (generic_plan, format json) ${query.text}`,
    );
    await client.query('rollback');
    const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
    expect(plan).toContain(`"Index Name":"${query.index}"`);
    expect(plan).not.toMatch(/"Node Type":"(Sort|Seq Scan)"/);
  });
});

const found = all.filter(([, { sorts }]) => sorts);

describe.each(found)('%s', (_, query) => {
  test(`finds its rows by ${query.index}`, async () => {
    await client.query('begin');
    await client.query('set local enable_seqscan = off; set local enable_indexscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `explain (generic_plan, format json) ${query.text}`,
    );
    await client.query('rollback');
    const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
    expect(plan).toContain(`"Index Name":"${query.index}"`);
    expect(plan).not.toContain('"Node Type":"Seq Scan"');
  });
});

/** Where two indexes would serve, the choice depends on how the rows are spread. */
async function dropRivals(index: string): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(
    `select 'drop index ' || r.indexrelid::regclass as drop from pg_index i join pg_index r using (indrelid)
     where i.indexrelid = $1::regclass and r.indexrelid <> i.indexrelid
       and not exists (select from pg_constraint c where c.conindid = r.indexrelid)`,
    [index],
  );
  for (const { drop } of rows) await client.query(drop);
}

test('every list that pages says which index serves it', () => {
  const paging = all.filter(([, { text }]) => /\border by\b[^()]*\blimit \$\d+$/.test(text.trim()));
  expect(paging.length).toBeGreaterThan(0);
  expect(paging.filter(([, { index }]) => index === undefined).map(([name]) => name)).toEqual([]);
});

function byName<T extends { name: string }>(items: T[]): T[] {
  return items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
