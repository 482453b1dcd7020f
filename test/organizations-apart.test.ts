import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queries } from '../src/platform/database/query.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';

/** Organizations can be placed on separate nodes: the catalog has no key and no reference between them. */

/** Tables of the installation, not of an organization. The guide says which of them every node needs. */
const everywhere = ['organizations', 'plans', 'users', 'vault_keys'];
const once = [
  ...[
    'api_keys',
    'blob_garbage',
    'brakes',
    'browser_holders',
    'console_links',
    'console_sessions',
    'identities',
  ],
  ...[
    'jobs',
    'model_pauses',
    'passwords',
    'rate_buckets',
    'registry_entries',
    'registry_sources',
    'replicas',
  ],
  ...['schema_migrations', 'slot_grants'],
];

/** References without a foreign key: their targets are deleted later, and checking each is too slow. */
const unchecked: Record<string, string> = {
  'eval_trials.run_id': 'eval_runs.id',
  'eval_results.run_id': 'eval_runs.id',
  'eval_tally.run_id': 'eval_runs.id',
  'eval_run_events.run_id': 'eval_runs.id',
  'eval_results.trial_id': 'eval_trials.id',
  'eval_traces.trial_id': 'eval_trials.id',
  'eval_judged_trials.trial_id': 'eval_trials.id',
  'eval_traces.blob_id': 'blobs.id',
  'browser_entries.blob_id': 'blobs.id',
  'plugins.active_version_id': 'plugin_versions.id',
  'chat_sessions.id': 'journey_sessions.id',
};

const folder = new URL('../src/platform/database/queries/', import.meta.url);
for (const file of await readdir(folder)) await import(new URL(file, folder).href);

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = await database.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

interface Table {
  name: string;
  /** Whether `organization_id` is a required column. */
  owned: boolean;
}

async function tables(): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname::text as name, exists (select from pg_attribute a where a.attrelid = c.oid
       and a.attname = 'organization_id' and a.attnotnull) as owned
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
  );
  return rows;
}

/** SQL for the names of columns by their numbers. */
const named = (numbers: string, table: string): string =>
  `array(select a.attname::text from unnest(${numbers}) with ordinality as n (number, nth)
     join pg_attribute a on a.attrelid = ${table} and a.attnum = n.number order by n.nth)`;

test('every table is of organizations or of the installation, and the guide says which', async () => {
  const shared = [...everywhere, ...once];
  const found = await tables();
  expect(found.filter(({ name, owned }) => !owned && !shared.includes(name))).toEqual([]);
  expect(shared.filter((name) => !found.some((table) => table.name === name))).toEqual([]);
  const guide = readFileSync(new URL('../docs/growth.md', import.meta.url), 'utf8');
  const listed = (after: string) =>
    [...(guide.split(after)[1]?.split('\n\n')[0] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
  expect(listed('On every node:')).toEqual(everywhere);
  expect(listed('On one node:')).toEqual(once);
});

test('every key of what belongs to an organization names the organization', async () => {
  const owned = await ownedNames();
  const { rows } = await client.query<{ table: string; key: string; columns: string[] }>(
    `select x.indrelid::regclass::text as "table", x.indexrelid::regclass::text as key,
       ${named('x.indkey::int2[]', 'x.indrelid')} as columns
     from pg_index x where x.indisunique and x.indrelid::regclass::text = any($1)`,
    [owned],
  );
  expect(new Set(rows.map(({ table }) => table))).toEqual(new Set(owned));
  expect(rows.filter(({ columns }) => !columns.includes('organization_id'))).toEqual([]);
});

test('no reference goes from one organization to another, nor from the installation to an organization', async () => {
  const owned = await ownedNames();
  const rows = await references();
  const between = rows.filter(({ from, to }) => owned.includes(from) && owned.includes(to));
  expect(between.length).toBeGreaterThan(80);
  const placeOf = (columns: string[]) => columns.indexOf('organization_id');
  expect(
    between.filter(({ columns, toColumns }) => {
      return placeOf(columns) === -1 || placeOf(columns) !== placeOf(toColumns);
    }),
  ).toEqual([]);
  expect(rows.filter(({ from, to }) => !owned.includes(from) && owned.includes(to))).toEqual([]);
  const outward = rows.filter(({ from, to }) => owned.includes(from) && !owned.includes(to));
  expect(outward.filter(({ to }) => !everywhere.includes(to))).toEqual([]);
});

test('what statements join belongs to one organization, because they follow references', async () => {
  const owned = new Set(await ownedNames());
  /** The target of each reference. Equal columns with the same target belong to the same organization. */
  const names = new Map(Object.entries(unchecked));
  for (const { from, to, columns, toColumns } of await references())
    for (const [place, column] of columns.entries())
      if (column !== 'organization_id' && owned.has(to))
        names.set(`${from}.${column}`, `${to}.${toColumns[place]}`);
  const meant = (column: string): string => {
    const named = names.get(column);
    return named === undefined ? column : meant(named);
  };
  const strange: string[] = [];
  let joins = 0;
  for (const { name, text } of queries.values()) {
    if (/^test[._]/.test(name) || !/^\s*(select|with|insert|update|delete)/i.test(text)) continue;
    const { tableOf, equal, given } = await planOf(text);
    const ours = equal.filter(([a, b]) => [a, b].every(({ alias }) => owned.has(tableOf.get(alias) ?? '')));
    const along = new Set<string>();
    /** Union-find: aliases whose rows belong to the same organization. */
    const group = new Map<string, string>();
    const groupOf = (alias: string): string => {
      const other = group.get(alias);
      return other === undefined ? alias : groupOf(other);
    };
    // Aliases that are compared with the same parameter belong together.
    for (const { alias, column, value } of given) {
      const named = meant(`${tableOf.get(alias)}.${column}`);
      const of = `${column === 'organization_id' ? column : named} ${value}`;
      if (groupOf(alias) !== groupOf(of) && (named.endsWith('.id') || column === 'organization_id'))
        group.set(groupOf(alias), groupOf(of));
    }
    for (const [a, b] of ours) {
      const [one, other] = [a, b].map(({ alias, column }) => meant(`${tableOf.get(alias)}.${column}`));
      const both = a.column === 'organization_id' && b.column === 'organization_id';
      if (!both && one !== other) continue;
      along.add(`${a.alias} ${b.alias}`);
      if (groupOf(a.alias) !== groupOf(b.alias)) group.set(groupOf(a.alias), groupOf(b.alias));
    }
    joins += along.size;
    for (const [a, b] of ours)
      if (groupOf(a.alias) !== groupOf(b.alias))
        strange.push(`${name}: ${tableOf.get(a.alias)}.${a.column} = ${tableOf.get(b.alias)}.${b.column}`);
  }
  expect(joins).toBeGreaterThan(100);
  expect(strange).toEqual([]);
});

test('whoever does not say whose a row is has it filled in; whoever says it of somebody else is refused', async () => {
  await client.query(`insert into organizations (id, name) values ('org_a', 'A'), ('org_b', 'B')`);
  await client.query(
    `insert into projects (id, organization_id, name, visibility)
     values ('proj_a', 'org_a', 'A', 'private'), ('proj_b', 'org_b', 'B', 'private')`,
  );
  const insert = (columns: string, values: string) =>
    client.query(`insert into swarms (${columns}, name, environment_ids) values (${values}, 'Fleet', '{}')`);
  await insert('id, project_id', "'swm_a', 'proj_a'");
  const { rows } = await client.query('select organization_id from swarms');
  expect(rows).toEqual([{ organization_id: 'org_a' }]);
  const refusal = 'swarms_project_id_fkey';
  await expect(insert('id, project_id, organization_id', "'swm_b', 'proj_a', 'org_b'")).rejects.toThrow(
    refusal,
  );
  await expect(client.query("update swarms set organization_id = 'org_b'")).rejects.toThrow(refusal);
});

interface Column {
  alias: string;
  column: string;
}

interface PlanNode {
  Alias?: string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

interface Plan {
  tableOf: Map<string, string>;
  equal: [Column, Column][];
  /** Columns that are compared with parameters. */
  given: (Column & { value: string })[];
}

/** The tables that a statement reads, and the columns that it compares. */
async function planOf(text: string): Promise<Plan> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `explain (generic_plan, verbose, format json) ${text}`,
  );
  const tableOf = new Map<string, string>();
  const equal: [Column, Column][] = [];
  const given: Plan['given'] = [];
  const look = (node: PlanNode): void => {
    const { Alias: alias, 'Relation Name': table, Plans: below = [], ...rest } = node;
    if (alias !== undefined && table !== undefined)
      tableOf.set(alias, table.replace(/_(before|\d{4}_\d\d)$/, ''));
    const conditions = Object.entries(rest).flatMap(([what, value]) =>
      /(Cond|Filter)$/.test(what) ? [String(value)] : [],
    );
    // A set of values of a batch (`batched-reads.ts`).
    for (const [, a = '', x = '', b = '', y = ''] of conditions
      .join(' ')
      .matchAll(/\b(\w+)\.(\w+) = \(?(\w+)\.(\w+)/g))
      if (a === 'asked') given.push({ alias: b, column: y, value: `${a}.${x}` });
      else if (b === 'asked') given.push({ alias: a, column: x, value: `${b}.${y}` });
      else
        equal.push([
          { alias: a, column: x },
          { alias: b, column: y },
        ]);
    for (const [, alias = '', column = '', value = ''] of conditions
      .join(' ')
      .matchAll(/\b(\w+)\.(\w+) = \(?(\$\d+)/g))
      given.push({ alias, column, value });
    for (const node of below) look(node);
  };
  look(rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode);
  return { tableOf, equal, given };
}

interface Reference {
  from: string;
  to: string;
  columns: string[];
  toColumns: string[];
}

async function references(): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `select k.conrelid::regclass::text as "from", k.confrelid::regclass::text as "to",
       ${named('k.conkey', 'k.conrelid')} as columns, ${named('k.confkey', 'k.confrelid')} as "toColumns"
     from pg_constraint k where k.contype = 'f' and k.conparentid = 0`,
  );
  return rows;
}

async function ownedNames(): Promise<string[]> {
  const shared = new Set([...everywhere, ...once]);
  return (await tables()).flatMap(({ name, owned }) => (owned && !shared.has(name) ? [name] : []));
}
