import type pg from 'pg';

/** The state of a new copy: a fingerprint of its catalogs, and the rows of the template. */
export interface AsCopied {
  catalogs: string;
  /** Content by table; other tables are empty. */
  rows: Record<string, string>;
}

/** Above this size, emptying a database costs more than a new copy. */
const bytesAtMost = 60_000_000;

/** A fingerprint of the catalogs, which every change of a table, function or setting and `analyze` alters. */
const catalogs = `
  select concat_ws(' ',
    (select count(*) || ' ' || sum(xmin::text::bigint) || ' ' || sum(reltuples) from pg_class where oid >= 16384),
    (select count(*) || ' ' || sum(xmin::text::bigint) from pg_attribute where attrelid >= 16384),
    (select count(*) || ' ' || sum(xmin::text::bigint) from pg_index where indexrelid >= 16384),
    (select count(*) || ' ' || sum(xmin::text::bigint) from pg_constraint),
    (select count(*) || ' ' || sum(xmin::text::bigint) from pg_attrdef),
    (select count(*) || ' ' || sum(xmin::text::bigint) from pg_trigger),
    (select count(*) from pg_proc where oid >= 16384),
    (select count(*) from pg_type where oid >= 16384),
    (select count(*) || ' ' || sum(xmin::text::bigint) from pg_namespace),
    (select count(*) from pg_extension),
    (select count(*) from pg_statistic where starelid >= 16384),
    (select count(*) from pg_largeobject_metadata)) as catalogs`;

const tables = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;

export async function asCopied(client: pg.Client): Promise<AsCopied> {
  const rows: Record<string, string> = {};
  for (const { name } of (await client.query<{ name: string }>(tables)).rows) {
    const content = await contentOf(client, name);
    if (content !== null) rows[name] = content;
  }
  return { catalogs: await catalogsOf(client), rows };
}

/** Empties the database of this connection. Returns false if anything except its rows has changed. */
export async function tidied(client: pg.Client, { catalogs: before, rows }: AsCopied): Promise<boolean> {
  await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const { rows: found } = await client.query<{ usable: boolean }>(
    `select datconnlimit = -1 and pg_database_size(oid) < ${bytesAtMost}
       and not exists (select from pg_db_role_setting where setdatabase = oid) as usable
     from pg_database where datname = current_database()`,
  );
  if (found[0]?.usable !== true || (await catalogsOf(client)) !== before) return false;
  for (const [table, content] of Object.entries(rows))
    if ((await contentOf(client, table)) !== content) return false;
  await client.query(emptying(Object.keys(rows)));
  return true;
}

async function catalogsOf(client: pg.Client): Promise<string> {
  return (await client.query<{ catalogs: string }>(catalogs)).rows[0]?.catalogs ?? '';
}

async function contentOf(client: pg.Client, table: string): Promise<string | null> {
  const { rows } = await client.query<{ content: string | null }>(
    `select md5(string_agg(t::text, ',' order by t::text)) as content from ${table} t`,
  );
  return rows[0]?.content ?? null;
}

/** Deletes in one statement, without foreign key checks: referring rows are deleted too. */
function emptying(kept: string[]): string {
  return `do $$
    declare one text;
    begin
      set local session_replication_role = replica;
      for one in ${tables} and relname <> all ('{${kept.join(',')}}') loop
        execute format('delete from %I', one);
      end loop;
      perform setval(seqrelid, seqstart, false) from pg_sequence;
    end $$`;
}
