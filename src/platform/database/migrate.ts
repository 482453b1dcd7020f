import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { OperatorProblem } from '../problem.ts';
import { version } from '../version.ts';
import { type Migration, migrations } from './migrations/index.ts';

const migrationLock = 4_700_003;

/** Migrates the schema once, however many processes start together. */
export async function migrate(
  client: pg.ClientBase,
  wanted: readonly Migration[] = migrations,
): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
  try {
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz(3) not null default now())`);
    // No `if not exists`: that would wait for readers of the table, such as a running backup.
    const { rows: column } = await client.query(`select from pg_attribute
      where attrelid = 'schema_migrations'::regclass and attname = 'contracts' and not attisdropped`);
    if (column.length === 0) await client.query('alter table schema_migrations add column contracts text');
    const { rows } = await client.query<Done>(
      'select name, checksum, contracts from schema_migrations order by name',
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
  /** Missing in databases from before versions could run side by side. */
  contracts?: string | null;
}

export interface MigrationPlan {
  applied: string[];
  /** The migrations that this program would run, in order. */
  pending: string[];
  /**
   * Pending migrations that drop something and are refused while older versions run, with the first compatible version.
   */
  contracting: { name: string; since: string }[];
  /** Migrations of a newer version that this one is compatible with. */
  ahead: string[];
  /** Why this program would refuse the database. */
  refusal: string | undefined;
}

/** Determines what `migrate` would do, without changing anything. */
export async function planMigrations(
  client: pg.ClientBase,
  wanted: readonly Migration[] = migrations,
): Promise<MigrationPlan> {
  const { rows: found } = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  const done = found[0]?.there
    ? (await client.query<Done>('select * from schema_migrations order by name')).rows
    : [];
  const refusal = refusalOf(done, wanted);
  const pending = refusal === undefined ? wanted.slice(done.length) : [];
  const namesOf = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
  return {
    applied: namesOf(done),
    pending: namesOf(pending),
    contracting: pending.flatMap(({ name, contracts: since }) =>
      since === undefined ? [] : [{ name, since }],
    ),
    ahead: namesOf(done.slice(wanted.length)),
    refusal,
  };
}

function checkHistory(done: Done[], wanted: readonly Migration[]): void {
  const refusal = refusalOf(done, wanted);
  if (refusal !== undefined) throw new OperatorProblem(refusal);
}

/** A migration of a newer version is compatible unless it drops something that this version uses. */
function refusalOf(done: Done[], wanted: readonly Migration[]): string | undefined {
  for (const [index, { name, checksum, contracts }] of done.entries()) {
    const migration = wanted[index];
    if (!migration && contracts && isBefore(version, contracts))
      return `The database was changed by a newer Drydock (migration ${name}). Start version ${contracts} or later`;
    if (!migration) continue;
    if (migration.name !== name || checksumOf(migration) !== checksum)
      return `The database does not match this Drydock: migration ${name} differs from the one that ran`;
  }
  return undefined;
}

/** How long a migration waits for a lock before it tries again, since statements of others queue behind it. */
const lockTimeout = '100ms';
const tries = 600;

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      await applyOnce(client, migration);
      return;
    } catch (error) {
      // Lock timeout or deadlock.
      if (!['55P03', '40P01'].includes((error as { code?: string }).code ?? '') || n === tries) throw error;
      await delay(50 + Math.random() * 200);
    }
  }
}

async function applyOnce(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    if (migration.locks !== undefined) {
      await client.query(`set local lock_timeout = '${lockTimeout}'`);
      await client.query(migration.locks);
      await client.query('set local lock_timeout = default');
    }
    if (migration.contracts !== undefined)
      await refuseBesideOlder(client, migration.name, migration.contracts);
    await client.query(migration.sql);
    await migration.fill?.(client);
    if (migration.finish !== undefined) await client.query(migration.finish);
    await client.query('insert into schema_migrations (name, checksum, contracts) values ($1, $2, $3)', [
      migration.name,
      checksumOf(migration),
      migration.contracts ?? null,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function refuseBesideOlder(client: pg.ClientBase, name: string, since: string): Promise<void> {
  const { rows } = await client.query<{ role: string | null; version: string | null }>(
    "select role, version from replicas where seen_at > now() - interval '15 seconds'",
  );
  const older = rows.filter(({ version: running }) => running === null || isBefore(running, since));
  if (older.length === 0) return;
  const named = older.map(
    ({ role, version: running }) => `${role ?? 'service'} ${running ?? 'of an older version'}`,
  );
  throw new OperatorProblem(
    `Migration ${name} removes what versions before ${since} use, and processes of such versions are running: ${named.join(', ')}. Stop them first`,
  );
}

export function isBefore(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) < 0;
}

function checksumOf(migration: Migration): string {
  return createHash('sha256')
    .update(migration.sql)
    .update(migration.finish ?? '')
    .digest('hex');
}
