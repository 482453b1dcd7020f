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

interface Done {
  name: string;
  checksum: string;
}

export interface MigrationPlan {
  applied: string[];
  /** Those that this program would run, in order. */
  pending: string[];
  /** Why this program would refuse the database. */
  refusal: string | undefined;
}

/** What `migrate` would do, from a look that changes nothing. */
export async function planMigrations(
  client: pg.ClientBase,
  wanted: readonly Migration[] = migrations,
): Promise<MigrationPlan> {
  const { rows: found } = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  const done = found[0]?.there
    ? (await client.query<Done>('select name, checksum from schema_migrations order by name')).rows
    : [];
  const refusal = refusalOf(done, wanted);
  const pending = refusal === undefined ? wanted.slice(done.length).map(({ name }) => name) : [];
  return { applied: done.map(({ name }) => name), pending, refusal };
}

function checkHistory(done: Done[], wanted: readonly Migration[]): void {
  const refusal = refusalOf(done, wanted);
  if (refusal !== undefined) throw new OperatorProblem(refusal);
}

function refusalOf(done: Done[], wanted: readonly Migration[]): string | undefined {
  for (const [index, { name, checksum }] of done.entries()) {
    const migration = wanted[index];
    if (!migration)
      return `The database was written by a newer Drydock (migration ${name}). Start that version or later`;
    if (migration.name !== name || checksumOf(migration) !== checksum)
      return `The database does not match this Drydock: migration ${name} differs from the one that ran`;
  }
  return undefined;
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
