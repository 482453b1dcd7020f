import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Config } from '../config/settings.ts';
import { type ConnectedDatabase, connectDatabase } from '../database/connect.ts';
import { isBefore, type MigrationPlan, planMigrations } from '../database/migrate.ts';
import type { Log } from '../log.ts';
import { OperatorProblem } from '../problem.ts';
import { version } from '../version.ts';

export interface UpgradeReport {
  /** The version of this program. */
  drydock: string;
  /**
   * `current`: no migration is needed. `ready`: the program would migrate. `new`: it would create the database.
   * `blocked`: it would refuse to start.
   */
  outcome: 'current' | 'ready' | 'new' | 'blocked' | 'unreachable';
  database: { kind: 'embedded' | 'external'; postgres: string | null; bytes: number | null };
  migrations: Pick<MigrationPlan, 'pending' | 'contracting' | 'ahead'> & {
    applied: number;
    last: string | null;
  };
  /** Users of the database; `versions` are those of services and workers that report one. */
  inUse: {
    services: number;
    workers: number;
    versions: string[];
    browserHolders: number;
    connections: number;
  } | null;
  backupAdvised: boolean;
  /** On the disk of an embedded database. */
  freeBytes: number | null;
  problems: string[];
  warnings: string[];
}

interface Inspected extends MigrationPlan {
  postgres: string;
  bytes: number;
  inUse: NonNullable<UpgradeReport['inUse']>;
}

/**
 * Determines how a start of this program would change the configured database. An embedded one is started for that, and
 * stopped.
 */
export async function checkUpgrade(config: Config, log: Log): Promise<UpgradeReport> {
  const embedded = config.databaseUrl === undefined;
  const report = emptyReport(embedded);
  if (embedded && !hasCluster(config.dataDir)) return { ...report, outcome: 'new' };
  const found = await inspect(config, log).catch((error: unknown) => {
    if (error instanceof OperatorProblem) return error;
    throw error;
  });
  if (found instanceof OperatorProblem) {
    const unreachable = /^Cannot connect/.test(found.message);
    return { ...report, outcome: unreachable ? 'unreachable' : 'blocked', problems: [found.message] };
  }
  const { applied, pending, contracting, ahead, refusal, postgres, bytes, inUse } = found;
  const freeBytes = embedded ? await freeIn(config.dataDir) : null;
  const ready = pending.length === 0 ? 'current' : 'ready';
  return {
    ...report,
    outcome: refusal !== undefined ? 'blocked' : applied.length === 0 ? 'new' : ready,
    database: { ...report.database, postgres, bytes },
    migrations: { applied: applied.length, last: applied.at(-1) ?? null, pending, contracting, ahead },
    inUse,
    backupAdvised: applied.length > 0 && pending.length > 0,
    freeBytes,
    problems: refusal === undefined ? [] : [refusal],
    warnings: pending.length === 0 ? [] : [...warningsOf(found, freeBytes)],
  };
}

function emptyReport(embedded: boolean): UpgradeReport {
  return {
    drydock: version,
    outcome: 'unreachable',
    database: { kind: embedded ? 'embedded' : 'external', postgres: null, bytes: null },
    migrations: { applied: 0, last: null, pending: [], contracting: [], ahead: [] },
    inUse: null,
    backupAdvised: false,
    freeBytes: null,
    problems: [],
    warnings: [],
  };
}

function hasCluster(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'data')) || existsSync(join(dataDir, 'database-home'));
}

async function inspect(config: Config, log: Log): Promise<Inspected> {
  const connected = await connectDatabase(config, { exclusive: false, migrate: false }, log);
  try {
    const client = await connected.dial();
    try {
      await client.query('begin transaction read only');
      return { ...(await planMigrations(client)), ...(await factsOf(client, connected)) };
    } finally {
      await client.end();
    }
  } finally {
    await connected.close();
  }
}

async function factsOf(
  client: pg.Client,
  connected: ConnectedDatabase,
): Promise<Pick<Inspected, 'postgres' | 'bytes' | 'inUse'>> {
  const { rows } = await client.query<{ postgres: string; bytes: number; connections: number }>(
    `select current_setting('server_version') as postgres, pg_database_size(current_database()) as bytes,
       (select count(*) from pg_stat_activity where application_name = 'drydock'
          and datname = current_database() and pid <> pg_backend_pid()) as connections`,
  );
  const { postgres = '', bytes = 0, connections = 0 } = rows[0] ?? {};
  const processes = await processesIn(client);
  const workers = processes.filter(({ role }) => role === 'worker').length;
  const browserHolders = await counted(client, 'browser_holders', 'lease_until > now()');
  // An embedded database has a single service, which does not register.
  const services = connected.embedded ? Number(await connected.isServed()) : processes.length - workers;
  const versions = [...new Set(processes.flatMap(({ version }) => version ?? []))].toSorted();
  return { postgres, bytes, inUse: { services, workers, versions, browserHolders, connections } };
}

/** Shown for a process that does not report its version: processes report it since 0.1.0. */
const beforeVersions = '0.0.0';

interface RunningProcess {
  role: string | null;
  /** Null if the schema is older than the column. */
  version: string | null;
}

async function processesIn(client: pg.Client): Promise<RunningProcess[]> {
  const { rows: known } = await client.query(
    "select from information_schema.columns where table_name = 'replicas' and column_name = 'version'",
  );
  if (known.length === 0) {
    const services = await counted(client, 'replicas', "seen_at > now() - interval '15 seconds'");
    return Array.from({ length: services }, () => ({ role: null, version: null }));
  }
  const { rows } = await client.query<RunningProcess>(
    `select role, coalesce(version, '${beforeVersions}') as version from replicas
     where seen_at > now() - interval '15 seconds'`,
  );
  return rows;
}

/** Zero if an older version did not have the table yet. */
async function counted(client: pg.Client, table: string, condition: string): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ]);
  if (!rows[0]?.there) return 0;
  const { rows: counts } = await client.query<{ count: number }>(
    `select count(*) as count from ${table} where ${condition}`,
  );
  return counts[0]?.count ?? 0;
}

async function freeIn(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

function* warningsOf({ inUse, contracting, bytes }: Inspected, freeBytes: number | null): Generator<string> {
  const { services, workers, connections, versions } = inUse;
  // A process that does not report its version is older than every version that matters to a migration.
  const unknown = versions.length === 0 && (services + workers > 0 || connections > 0);
  if (contracting.some(({ since }) => unknown || versions.some((version) => isBefore(version, since))))
    yield `Other processes use the database${versions.length > 0 ? ` (${versions.join(', ')})` : ''}. Stop those before ${contracting.map(({ since }) => since).join(', ')}: ${contracting.map(({ name }) => name).join(', ')} removes what they use`;
  if (freeBytes !== null && freeBytes < bytes)
    yield 'The disk has less free space than the size of the database. A migration that rewrites a table can need that much';
}
