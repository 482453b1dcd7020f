import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Config } from '../config/settings.ts';
import { type Log, redact } from '../log.ts';
import { OperatorProblem } from '../problem.ts';
import { Connections, hangUp } from './connections.ts';
import { Database } from './database.ts';
import { EmbeddedDatabase } from './embedded/index.ts';
import { hostUrls } from './hosts.ts';
import { directManner, findManner, type Timeouts, usualTimeouts } from './manner.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { firstPrimary, Primary } from './primary.ts';
import { Standby } from './standby.ts';

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
  purpose: { exclusive: boolean; temporary?: boolean; migrate?: boolean; timeouts?: Timeouts },
  log: Log,
): Promise<ConnectedDatabase> {
  const embedded = config.databaseUrl ? undefined : await EmbeddedDatabase.open(config.dataDir, purpose, log);
  const timeouts = { ...usualTimeouts, ...purpose.timeouts };
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
    // Nobody stands between us and an embedded one.
    const manner = embedded ? directManner(timeouts) : await findManner(hosts, timeouts).catch(unreachable);
    connections = await Connections.open({
      hosts: hosts.map((host) => ({ ...host, ...manner.connection })),
      most: config.databasePool,
      patience: timeouts.away,
      log,
      moved: () => sessions.hangUp(),
    });
    if (manner.pooled) await checkSessions(connections.pool, dial);
    const standby = new Standby({ dial, log, patience: timeouts.confirmation });
    return {
      database: new Database(connections, manner, standby),
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

/** How every connection is made. */
const common = (): pg.ClientConfig => ({
  application_name: 'drydock',
  connectionTimeoutMillis: 10_000,
  types: { getTypeParser },
});

export function hostsOf(place: pg.ClientConfig | string | undefined): pg.ClientConfig[] {
  if (typeof place !== 'string') return [{ ...place, ...common() }];
  return hostUrls(place).map((connectionString) => ({ connectionString, ...common() }));
}

/** Connections of their own, past any pooler, to the host that takes writes. */
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

  /** Another host takes writes now: whoever listens to the former one, or writes there, has to begin again. */
  hangUp(): void {
    for (const client of this.open) hangUp(client);
  }

  close(): void {
    this.primary.forget();
  }
}

/** Milliseconds in which an announcement arrives, if ever. */
const announced = 2_000;

/**
 * What is announced over the pooler must be heard over the connections that are to lead past it: they lead to the same
 * database, and each is a session of its own, which locks and listeners need.
 */
async function checkSessions(pool: pg.Pool, dial: () => Promise<pg.Client>): Promise<void> {
  const channel = `drydock_${randomUUID()}`;
  const client = await dial();
  try {
    const heard = new Promise<boolean>((resolve) => {
      client.once('notification', () => resolve(true));
      setTimeout(() => resolve(false), announced).unref();
    });
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    await pool.query('select pg_notify($1, $2)', [channel, '']);
    if (await heard) return;
  } finally {
    await client.end();
  }
  throw new OperatorProblem(
    'DRYDOCK_DATABASE_URL leads through a pooler in transaction mode. Set DRYDOCK_DATABASE_DIRECT_URL to the same database without the pooler: listeners and migrations need sessions',
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
