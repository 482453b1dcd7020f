import { createHash } from 'node:crypto';
import type pg from 'pg';
import { OperatorProblem } from '../problem.ts';
import { type Migration, migrations } from './migrations/index.ts';

const migrationLock = 4_700_003;

/** Brings the schema up to date, once, however many processes start together. */
export async function migrate(
  client: pg.ClientBase,
  wanted: readonly Migration[] = migrations,
): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
  try {
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz(3) not null default now())`);
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations order by name',
    );
    checkHistory(rows, wanted);
    const applied: string[] = [];
    for (const migration of wanted.slice(rows.length)) {
      await apply(client, migration);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock]);
  }
}

/** Those that a start would apply; refuses a database that this version cannot work with. Writes nothing. */
export async function pendingMigrations(
  client: pg.ClientBase,
  wanted: readonly Migration[] = migrations,
): Promise<string[]> {
  const { rows: found } = await client.query<{ found: boolean }>(
    "select to_regclass('schema_migrations') is not null as found",
  );
  const { rows } = found[0]?.found
    ? await client.query<{ name: string; checksum: string }>(
        'select name, checksum from schema_migrations order by name',
      )
    : { rows: [] };
  checkHistory(rows, wanted);
  return wanted.slice(rows.length).map(({ name }) => name);
}

function checkHistory(done: { name: string; checksum: string }[], wanted: readonly Migration[]): void {
  for (const [index, { name, checksum }] of done.entries()) {
    const migration = wanted[index];
    if (!migration)
      throw new OperatorProblem(
        `The database was written by a newer Drydock (migration ${name}). Start that version or later`,
      );
    if (migration.name !== name || checksumOf(migration) !== checksum)
      throw new OperatorProblem(
        `The database does not match this Drydock: migration ${name} differs from the one that ran`,
      );
  }
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await migration.fill?.(client);
    if (migration.finish !== undefined) await client.query(migration.finish);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      migration.name,
      checksumOf(migration),
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

function checksumOf(migration: Migration): string {
  return createHash('sha256')
    .update(migration.sql)
    .update(migration.finish ?? '')
    .digest('hex');
}
