import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partitioned } from '../src/platform/database/partitions.ts';
import { type Query, queries } from '../src/platform/database/query.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';
import { describeStatement } from './support/describe-statement.ts';

/** Checks every query against the migrated schema: its parameters, its columns and how it finds its rows. */

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
  // Test files that ran before in this process registered queries of their own.
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

/** Whether the declared nullability is wrong. An outer join can leave any column empty. */
function mayLie(query: Query, { name, notNull }: { name: string; notNull: boolean | undefined }): boolean {
  if (notNull === undefined) return false;
  const declared = query.gives[name]?.nullable ?? false;
  return declared ? notNull && !/left join|full join/.test(query.text) : !notNull;
}

const lists = all.filter(([, { index, sorts }]) => index !== undefined && !sorts);

describe.each(lists)('%s', (_, query) => {
  test(`is served by ${query.index}, in its order`, async () => {
    await client.query('begin');
    // Small tables are fast to scan; with many rows only the index is fast.
    await client.query('set local enable_seqscan = off; set local enable_bitmapscan = off');
    await dropRivals(query.index as string);
    const parts = await partsOfIndex(query.index as string);
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `explain (generic_plan, format json) ${query.text}`,
    );
    await client.query('rollback');
    const plan = parts.reduce(
      (seen, part) => seen.replaceAll(`"Index Name":"${part}"`, `"Index Name":"${query.index}"`),
      JSON.stringify(rows[0]?.['QUERY PLAN']),
    );
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

/** Tables that grow with use. The others are small enough to scan. */
const big = [
  ...partitioned.map(({ table }) => table),
  ...['eval_runs', 'eval_results', 'eval_trials', 'eval_tally', 'eval_run_snapshots', 'eval_run_outcomes'],
  ...['eval_judged_trials', 'eval_case_evaluations', 'eval_artifact_refs', 'blobs', 'sealed_values'],
  ...[
    'journey_runs',
    'journey_sessions',
    'journey_turns',
    'journey_observations',
    'chat_sessions',
    'chat_turns',
  ],
  ...[
    'chat_messages',
    'study_sessions',
    'study_turns',
    'study_visits',
    'study_readings',
    'browser_entries',
    'idempotency_keys',
    'jobs',
  ],
];
/** Rare queries that need every row. */
const aboutEverything = ['doctor.sealed-under-each sealed_values', 'installation.blobs blobs'];

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** Tables that are read as a whole: by a sequential scan, or along an index of all rows. */
function readWhole(node: PlanNode, whole: Set<string>, limited = false): string[] {
  const below = (node.Plans ?? []).flatMap((one) =>
    readWhole(one, whole, limited || node['Node Type'] === 'Limit'),
  );
  const { 'Relation Name': table = '', 'Index Name': index = '' } = node;
  const along = /^Index/.test(node['Node Type']) && node['Index Cond'] === undefined && whole.has(index);
  return node['Node Type'] === 'Seq Scan' || (along && !limited) ? [...below, table] : below;
}

test('no query reads all rows of a table that grows', async () => {
  const { rows: indexes } = await client.query<{ name: string }>(
    'select indexrelid::regclass::text as name from pg_index where indpred is null',
  );
  const whole = new Set(indexes.map(({ name }) => name));
  const found = new Set<string>();
  await client.query('begin');
  await client.query('set local enable_seqscan = off');
  for (const [name, query] of all) {
    if (!/^\s*(select|with|insert|update|delete)/i.test(query.text)) continue;
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (generic_plan, format json) ${query.text}`,
    );
    for (const table of readWhole(rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode, whole))
      if (big.some((one) => table === one || table.startsWith(`${one}_`))) found.add(`${name} ${table}`);
  }
  await client.query('rollback');
  expect([...found].filter((one) => !aboutEverything.includes(one))).toEqual([]);
});

/** Names of the partitions of an index. */
async function partsOfIndex(index: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = $1::regclass',
    [index],
  );
  return rows.map(({ name }) => name);
}

/** Drops other indexes of the table: the planner's choice between suitable ones depends on the data. */
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
