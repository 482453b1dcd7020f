import type pg from 'pg';

/** Tables whose rows all belong to an organization. Jobs may belong to none. */
const ofOrganizations = `
  select c.oid, c.oid::regclass::text as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and a.attnotnull
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'jobs'`;

/** SQL expression for the names of columns with these numbers, in the same order. */
const namesOf = (numbers: string, table: string): string =>
  `array(select a.attname::text from unnest(${numbers}) with ordinality as n (number, nth)
     join pg_attribute a on a.attrelid = ${table} and a.attnum = n.number order by n.nth)`;

interface Reference {
  name: string;
  table: string;
  columns: string[];
  to: string;
  toColumns: string[];
  onDelete: 'a' | 'c' | 'n';
}

const references = `
  with owned as (${ofOrganizations})
  select k.conname::text as name, k.conrelid::regclass::text as "table", k.confrelid::regclass::text as "to",
    k.confdeltype::text as "onDelete", ${namesOf('k.conkey', 'k.conrelid')} as columns,
    ${namesOf('k.confkey', 'k.confrelid')} as "toColumns"
  from pg_constraint k
  where k.contype = 'f' and k.conparentid = 0 and k.conrelid in (select oid from owned)
    and k.confrelid in (select oid from owned)
  order by 2, 1`;

interface Key {
  name: string;
  table: string;
  columns: string[];
  /** The type of the constraint; null for an index without one. */
  kind: 'p' | 'u' | null;
  only: string | null;
}

const keys = `
  with owned as (${ofOrganizations})
  select i.relname::text as name, x.indrelid::regclass::text as "table", k.contype::text as kind,
    array(select pg_get_indexdef(i.oid, n, true) from generate_series(1, x.indnkeyatts) n) as columns,
    pg_get_expr(x.indpred, x.indrelid) as only
  from pg_index x join pg_class i on i.oid = x.indexrelid left join pg_constraint k on k.conindid = i.oid and k.contype in ('p', 'u')
  where x.indisunique and x.indrelid in (select oid from owned)
  order by 2, 1`;

const actions = { a: 'no action', c: 'cascade', n: 'set null' };

function reference({ name, table, columns, to, toColumns, onDelete }: Reference): string {
  // On delete, only the reference is set to null, not the organization.
  const what = onDelete === 'n' ? ` (${columns.join(', ')})` : '';
  return `alter table ${table} add constraint ${name} foreign key (${columns.join(', ')}, organization_id)
    references ${to} (${toColumns.join(', ')}, organization_id) on delete ${actions[onDelete]}${what}`;
}

function dropped({ name, table, kind }: Key): string {
  return kind === null ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`;
}

function key({ name, table, columns, kind, only }: Key): string {
  const list = `(${columns.join(', ')}, organization_id)`;
  if (kind !== null)
    return `alter table ${table} add constraint ${name} ${kind === 'p' ? 'primary key' : 'unique'} ${list}`;
  return `create unique index ${name} on ${table} ${list}${only === null ? '' : ` where ${only}`}`;
}

/**
 * Adds the organization to every key and reference of tables with rows of organizations, so that no row can reference
 * another organization's rows, and tables can be distributed by organization. Keys keep their names.
 */
async function nameOrganizations(client: pg.ClientBase): Promise<void> {
  const lacksIt = ({ columns }: { columns: string[] }) => !columns.includes('organization_id');
  const oldReferences = (await client.query<Reference>(references)).rows.filter(lacksIt);
  const oldKeys = (await client.query<Key>(keys)).rows.filter(lacksIt);
  for (const { name, table } of oldReferences)
    await client.query(`alter table ${table} drop constraint ${name}`);
  for (const one of oldKeys) {
    await client.query(dropped(one));
    await client.query(key(one));
  }
  for (const one of oldReferences) await client.query(reference(one));
}

export const organizationKeys = {
  name: '0029-organization-keys',
  contracts: '0.1.0',
  locks: `do $$
declare owned text;
begin
  select string_agg(name, ', ' order by name) into owned from (${ofOrganizations}) o;
  execute 'lock table ' || owned || ' in access exclusive mode';
end $$`,
  sql: '',
  fill: nameOrganizations,
};
