import pg from 'pg';
import type { Table } from './format.ts';
import type { Reference } from './order.ts';

export interface ForeignKey extends Reference {
  name: string;
  deferrable: boolean;
}

/**
 * The tables to save: partitioned tables as one, without unlogged tables, generated columns and tables of extensions.
 */
export async function savedTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relpersistence = 'p'
       and c.relname <> 'schema_migrations' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not exists (select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     group by c.relname`,
  );
  return rows;
}

export async function foreignKeys(client: pg.ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select k.conname as name, f.relname as "from", t.relname as "to", k.condeferrable as deferrable
     from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and k.conparentid = 0 and f.relnamespace = current_schema()::regnamespace`,
  );
  return rows;
}

/** Names in the order in which they ran. Empty for a database that Drydock has not used. */
export async function appliedMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows: found } = await client.query("select 1 where to_regclass('schema_migrations') is not null");
  if (found.length === 0) return [];
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map((row) => row.name);
}

/** The last value of each used sequence. Sequences are not part of snapshots: read them after the rows. */
export async function sequences(client: pg.ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; last: number }>(
    `select sequencename as name, last_value as last from pg_sequences
     where schemaname = current_schema() and last_value is not null`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.last]));
}

export async function setSequences(client: pg.ClientBase, last: Record<string, number>): Promise<void> {
  for (const [name, value] of Object.entries(last))
    await client.query(
      `select setval(oid::regclass, $2) from pg_class
       where relname = $1 and relkind = 'S' and relnamespace = current_schema()::regnamespace`,
      [name, value],
    );
}

const steady = {
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
};

/** Makes the text format of values independent of the server's settings, and removes statement timeouts. */
export async function useFixedSettings(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s (name, value)
     where exists (select from pg_settings p where lower(p.name) = s.name)`,
    [Object.keys(steady), Object.values(steady)],
  );
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => pg.escapeIdentifier(name)).join(', ');
}

export function copyTarget({ name, columns }: Table): string {
  return `${quoted([name])} (${quoted(columns)})`;
}
