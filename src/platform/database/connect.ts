import pg from 'pg';
import type { Config } from '../config/settings.ts';
import { type Log, redact } from '../log.ts';
import { OperatorProblem } from '../problem.ts';
import { Database } from './database.ts';
import { EmbeddedDatabase } from './embedded/index.ts';
import { migrate } from './migrate.ts';
import { planTimeouts, type Timeouts, timeoutsOfConnection, usualTimeouts } from './timeouts.ts';

const oldestSupported = 15;

export interface ConnectedDatabase {
  database: Database;
  /** For migrations, listeners and COPY, which need a connection of their own and take the time they take. */
  dial: () => Promise<pg.Client>;
  embedded: boolean;
  /** Whether some service works with it; of a shared database that is taken for granted. */
  isServed(): Promise<boolean>;
  close(): Promise<void>;
}

/** The embedded server or the one named by the operator, checked and migrated. */
export async function connectDatabase(
  config: Config,
  purpose: { exclusive: boolean; migrate?: boolean; timeouts?: Timeouts },
  log: Log,
): Promise<ConnectedDatabase> {
  const embedded = config.databaseUrl ? undefined : await EmbeddedDatabase.open(config.dataDir, purpose, log);
  const options = clientOptions(embedded ? embedded.connection : { connectionString: config.databaseUrl });
  const dial = async (): Promise<pg.Client> => {
    const client = new pg.Client(options);
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  try {
    await prepare(dial, purpose.migrate ?? true, log);
    const timeouts = purpose.timeouts ?? usualTimeouts;
    // Nobody stands between us and an embedded one.
    const { connection, afterBegin } = embedded
      ? timeoutsOfConnection(timeouts)
      : await planTimeouts(options, timeouts);
    const pool = createPool({ ...options, ...connection, max: config.databasePool }, log);
    return {
      database: new Database(pool, afterBegin),
      dial,
      embedded: embedded !== undefined,
      isServed: async () => embedded?.isServed() ?? true,
      close: async () => {
        await pool.end();
        await embedded?.close();
      },
    };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}

export function clientOptions(place: pg.ClientConfig): pg.ClientConfig {
  return {
    ...place,
    application_name: 'drydock',
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser },
  };
}

function createPool(options: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool({ ...options, idleTimeoutMillis: 0 });
  // A client that is lent out has no listener, and an unheard error ends the process; the query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.warn('A database connection was lost', { error: redact(error.message) }));
  return pool;
}

async function prepare(dial: () => Promise<pg.Client>, wantsMigration: boolean, log: Log): Promise<void> {
  const client = await dial().catch((error: Error) => {
    const cause = error.message || (error as NodeJS.ErrnoException).code || 'no answer';
    throw new OperatorProblem(`Cannot connect to the database: ${redact(cause)}. Check DRYDOCK_DATABASE_URL`);
  });
  try {
    await checkVersion(client);
    if (!wantsMigration) return;
    const applied = await migrate(client);
    if (applied.length > 0) log.info('Database migrated', { migrations: applied.join(', ') });
  } finally {
    await client.end();
  }
}

export async function checkVersion(client: pg.Client, oldest: number = oldestSupported): Promise<void> {
  const { rows } = await client.query<{ version: string; number: number }>(
    "select current_setting('server_version') as version, current_setting('server_version_num')::int as number",
  );
  const found = rows[0];
  if (!found || found.number < oldest * 10_000)
    throw new OperatorProblem(
      `The database is PostgreSQL ${found?.version ?? 'of an unknown version'}; Drydock needs ${oldest} or later`,
    );
}

const parsers: Record<number, (text: string) => unknown> = {
  // bigint: counts and sizes, all far below 2^53
  20: Number,
  // timestamptz as epoch milliseconds
  1184: epochMilliseconds,
};

const getTypeParser: typeof pg.types.getTypeParser = (oid, format) =>
  (parsers[oid] ?? pg.types.getTypeParser(oid, format)) as (text: string) => unknown;

/** PostgreSQL writes `2026-11-15 02:05:08.123+00`; nearly always in UTC, which a few digits settle. */
function epochMilliseconds(text: string): number {
  if (!text.endsWith('+00'))
    return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/([+-]\d\d)$/, '$1:00')}`);
  const digits = (from: number, to: number): number => Number(text.slice(from, to));
  const fraction = text.length > 22 ? Number(`0${text.slice(19, -3)}`) * 1000 : 0;
  return (
    Date.UTC(digits(0, 4), digits(5, 7) - 1, digits(8, 10), digits(11, 13), digits(14, 16), digits(17, 19)) +
    Math.round(fraction)
  );
}
