import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Config } from '../config/settings.ts';
import { type Log, redact } from '../log.ts';
import { OperatorProblem } from '../problem.ts';
import { defaultTimeouts, detectConnectionMode, directMode, type Timeouts } from './connection-mode.ts';
import { Connections, hangUp } from './connections.ts';
import { Database } from './database.ts';
import { EmbeddedDatabase } from './embedded/index.ts';
import { hostUrls } from './hosts.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { firstPrimary, Primary } from './primary.ts';
import { StandbyMonitor } from './standby.ts';

/** Major version of PostgreSQL. */
const oldestSupported = 15;

export interface ConnectedDatabase {
  database: Database;
  /** Opens a dedicated connection without statement timeout, for migrations, listeners and COPY. */
  dial: () => Promise<pg.Client>;
  embedded: boolean;
  /** Whether a service uses the database. Always true for a shared database. */
  isServed(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connects to the embedded server or the configured database, checks it and migrates it. */
export async function connectDatabase(
  config: Config,
  purpose: {
    exclusive: boolean;
    temporary?: boolean;
    migrate?: boolean;
    timeouts?: Timeouts;
    /** A server that has been started. */
    begun?: EmbeddedDatabase | undefined;
  },
  log: Log,
): Promise<ConnectedDatabase> {
  const embedded = config.databaseUrl
    ? undefined
    : (purpose.begun ?? (await EmbeddedDatabase.begin(config.dataDir, purpose, log)));
  await embedded?.join();
  const timeouts = { ...defaultTimeouts, ...purpose.timeouts };
  const hosts = hostsOf(embedded?.connection ?? config.databaseUrl);
  const sessions = new Sessions(
    config.databaseDirectUrl === undefined || embedded ? hosts : hostsOf(config.databaseDirectUrl),
  );
  const { dial } = sessions;
  let connections: Connections | undefined;
  const close = async (): Promise<void> => {
    sessions.close();
    await connections?.close();
    await embedded?.close();
  };
  try {
    await prepare(dial, purpose.migrate ?? true, log);
    // An embedded server has no pooler.
    const mode = embedded
      ? directMode(timeouts)
      : await detectConnectionMode(hosts, timeouts).catch(unreachable);
    connections = await Connections.open({
      hosts: hosts.map((host) => ({ ...host, ...mode.connection })),
      max: config.databasePool,
      unavailableTimeout: timeouts.away,
      log,
      moved: () => sessions.hangUp(),
    });
    if (mode.pooled) await checkSessions(connections.pool, dial);
    const standby = new StandbyMonitor({ dial, log, confirmationTimeout: timeouts.confirmation });
    return {
      database: new Database(connections, mode, standby),
      dial,
      embedded: embedded !== undefined,
      isServed: async () => embedded?.isServed() ?? true,
      close: async () => {
        standby.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Options shared by all connections. */
const common = (): pg.ClientConfig => ({
  application_name: 'drydock',
  connectionTimeoutMillis: 10_000,
  types: { getTypeParser },
});

export function hostsOf(place: pg.ClientConfig | string | undefined): pg.ClientConfig[] {
  if (typeof place !== 'string') return [{ ...place, ...common() }];
  return hostUrls(place).map((connectionString) => ({ connectionString, ...common() }));
}

/** Opens dedicated connections to the primary, bypassing any pooler. */
class Sessions {
  private readonly hosts: pg.ClientConfig[];
  private readonly primary: Primary;
  private readonly open = new Set<pg.Client>();

  constructor(hosts: pg.ClientConfig[]) {
    this.hosts = hosts;
    this.primary = new Primary(hosts);
  }

  readonly dial = async (): Promise<pg.Client> => {
    const host = this.hosts.length > 1 ? await firstPrimary(this.primary, 5_000) : 0;
    const client = new pg.Client(this.hosts[host]);
    client.on('error', () => {});
    await client.connect();
    this.open.add(client);
    client.once('end', () => this.open.delete(client));
    return client;
  };

  /** After a failover, connections to the former primary are closed, so that listeners and writers reconnect. */
  hangUp(): void {
    for (const client of this.open) hangUp(client);
  }

  close(): void {
    this.primary.forget();
  }
}

/** Milliseconds to wait for the test notification. */
const announceTimeout = 2_000;

/**
 * Checks that a notification sent through the pooler arrives at a direct connection. Both must lead to the same
 * database, and direct connections must be sessions, which locks and LISTEN need.
 */
async function checkSessions(pool: pg.Pool, dial: () => Promise<pg.Client>): Promise<void> {
  const channel = `drydock_${randomUUID()}`;
  const client = await dial();
  try {
    const heard = new Promise<boolean>((resolve) => {
      client.once('notification', () => resolve(true));
      setTimeout(() => resolve(false), announceTimeout).unref();
    });
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    await pool.query('select pg_notify($1, $2)', [channel, '']);
    if (await heard) return;
  } finally {
    await client.end();
  }
  throw new OperatorProblem(
    'DRYDOCK_DATABASE_URL connects through a pooler in transaction mode. Set DRYDOCK_DATABASE_DIRECT_URL to the same database without the pooler: listeners and migrations need sessions',
  );
}

function unreachable(error: Error): never {
  const cause = error.message || (error as NodeJS.ErrnoException).code || 'no answer';
  throw new OperatorProblem(`Cannot connect to the database: ${redact(cause)}. Check DRYDOCK_DATABASE_URL`);
}

async function prepare(dial: () => Promise<pg.Client>, wantsMigration: boolean, log: Log): Promise<void> {
  const client = await dial().catch(unreachable);
  try {
    await checkVersion(client);
    if (!wantsMigration) return;
    const applied = await migrate(client);
    if (applied.length === migrations.length) log.info('Database created', { migrations: applied.length });
    else if (applied.length > 0) log.info('Database migrated', { migrations: applied.join(', ') });
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

/** Parses `2026-11-15 02:05:08.123+00`. Almost all values are in UTC and need no Date parser. */
export function epochMilliseconds(text: string): number {
  const end = text.length - 3;
  if (!text.endsWith('+00') || text.charCodeAt(4) !== dash)
    return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/([+-]\d\d)$/, '$1:00')}`);
  const seconds = Date.UTC(
    100 * twoDigits(text, 0) + twoDigits(text, 2),
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
  );
  let fraction = 0;
  for (let at = 20, unit = 100; at < end; at++, unit /= 10) fraction += unit * (text.charCodeAt(at) - zero);
  return seconds + Math.round(fraction);
}

const zero = 48;
const dash = 45;

/** Reads character by character: cutting a text into pieces takes five times as long, and a list has many times. */
function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - zero) + text.charCodeAt(at + 1) - zero;
}
