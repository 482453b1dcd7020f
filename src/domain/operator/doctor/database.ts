import type { Config } from '../../../platform/config/settings.ts';
import type { Db } from '../../../platform/database/database.ts';
import { startOfMonth, withoutPart } from '../../../platform/database/partitions.ts';
import * as doctor from '../../../platform/database/queries/doctor.ts';
import { connectReadOnly, type ReadOnlyConnection } from '../../../platform/database/read-only-connection.ts';
import { redact } from '../../../platform/log.ts';
import { type Check, type DoctorFinding, NotChecked, ok, problem, warning } from './check.ts';

/** Oldest tested PostgreSQL version, as `server_version_num`. */
const oldest = 150_000;
/** Connections of a process outside its pool: notifications, and commands like this one. */
const besides = 2;

/** One read-only connection shared by all checks. */
export class DatabaseToCheck {
  private readonly config: Config;
  private opening: ReturnType<typeof connectReadOnly> | undefined;

  constructor(config: Config) {
    this.config = config;
  }

  connected(): ReturnType<typeof connectReadOnly> {
    this.opening ??= connectReadOnly(this.config);
    return this.opening;
  }

  /** If the database is down, only the connection check reports it. */
  async reading(): Promise<ReadOnlyConnection> {
    const connection = await this.connected().catch(() => undefined);
    if (connection === 'absent') throw new NotChecked('there is no database yet');
    if (!connection || connection === 'stopped') throw new NotChecked('the database does not answer');
    return connection;
  }

  async ask<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return (await this.reading()).ask(work);
  }

  async close(): Promise<void> {
    const connection = await this.opening?.catch(() => undefined);
    if (typeof connection === 'object') await connection.close();
  }
}

export function databaseChecks(database: DatabaseToCheck, config: Config): Check[] {
  return [
    { name: 'database', run: () => reach(database, config) },
    { name: 'migrations', run: () => migrations(database) },
    { name: 'months', run: () => months(database) },
    { name: 'connections', run: () => connections(database, config) },
    { name: 'standby', run: () => standby(database) },
    { name: 'clock', run: () => clock(database) },
  ];
}

async function reach(database: DatabaseToCheck, { databaseUrl, dataDir }: Config): Promise<DoctorFinding> {
  const started = performance.now();
  const looking = await database.connected().catch((error: Error) => error);
  const connecting = performance.now() - started;
  if (looking === 'absent') return ok(`None yet in ${dataDir}: the first start creates one`);
  if (looking === 'stopped')
    return warning(
      `The embedded database in ${dataDir} is not running`,
      'The database runs only while a service or command is running. Start drydock serve, then run this again',
    );
  if (looking instanceof Error)
    return problem(
      `Cannot connect to the database: ${redact(looking.message || String((looking as NodeJS.ErrnoException).code))}`,
      'Check DRYDOCK_DATABASE_URL, that PostgreSQL runs, and its pg_hba.conf',
    );
  const { found, answer } = await database.ask(quickest);
  const where = databaseUrl === undefined ? 'embedded' : looking.pooled ? 'behind a pooler' : 'direct';
  const said = `PostgreSQL ${found.version}, ${where}, connected in ${connecting.toFixed(0)} ms, answers in ${answer.toFixed(1)} ms`;
  if (found.number < oldest) return problem(`${said}: too old`, 'Use PostgreSQL 15 or later');
  if (found.standby)
    return problem(`${said}: it is a read-only standby`, 'Set DRYDOCK_DATABASE_URL to the primary');
  if (answer > 50)
    return warning(`${said}: slow`, 'Run the database closer to this service, or check its load');
  return ok(said);
}

/** The fastest of several queries: the first is also parsed, and the machine may be busy. */
async function quickest(db: Db) {
  const times: number[] = [];
  let found = await db.one(doctor.server);
  for (let nth = 0; nth < 5; nth++) {
    const asked = performance.now();
    found = await db.one(doctor.server);
    times.push(performance.now() - asked);
  }
  return { found, answer: Math.min(...times) };
}

async function migrations(database: DatabaseToCheck): Promise<DoctorFinding> {
  if ((await database.connected().catch(() => undefined)) === 'absent') return ok('No database yet');
  const pending = await (await database.reading()).pendingMigrations();
  if (pending.length === 0) return ok('The schema is up to date');
  return warning(
    `${pending.length} pending, starting with ${pending[0]}`,
    'The next start applies them. Make a backup first',
  );
}

async function months(database: DatabaseToCheck): Promise<DoctorFinding> {
  const now = Date.now();
  const remedy =
    'A service or worker adds partitions daily. Start one; if that does not help, check its log for the job add-parts';
  const without = (plus: number) => database.ask((db) => withoutPart(db, startOfMonth(now, plus)));
  const today = await without(0);
  if (today.length > 0)
    return problem(`No partition for this month in ${today.join(', ')}: writes to it fail`, remedy);
  const next = await without(1);
  if (next.length > 0) return warning(`No partition for next month in ${next.join(', ')}`, remedy);
  return ok('Partitions exist for this month and the next');
}

async function connections(database: DatabaseToCheck, { databasePool }: Config): Promise<DoctorFinding> {
  const { used, room } = await database.ask((db) => db.one(doctor.server));
  const each = databasePool + besides;
  const fitting = Math.floor(room / each);
  const said = `${used} of ${room} in use; a process takes up to ${each}, so ${fitting} processes fit`;
  const remedy = 'Raise max_connections, or lower DRYDOCK_DATABASE_POOL of all processes';
  if (room - used < 3) return problem(said, remedy);
  // During a replacement, two processes run at once.
  return fitting < 2 || used > 0.8 * room ? warning(said, remedy) : ok(said);
}

/**
 * Number of standbys that commits wait for: `FIRST 2 (a, b)`, `ANY 2 (a, b)`, `2 (a, b)`, or a list, which means one.
 */
export function standbysNeeded(wanted: string): number {
  if (wanted.trim() === '') return 0;
  return Number(/^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(wanted)?.[1] ?? 1);
}

async function standby(database: DatabaseToCheck): Promise<DoctorFinding> {
  const { wanted, connected, synchronous, hidden, lag } = await database.ask((db) => db.one(doctor.standbys));
  const behind = `${connected} connected, at most ${lag.toFixed(1)} s behind`;
  if (hidden > 0)
    return warning(
      `${connected} connected; the user of the service cannot see their state`,
      'Run in the database: grant pg_monitor to that user',
    );
  const needed = standbysNeeded(wanted);
  if (synchronous < needed)
    return problem(
      `Commits wait for ${needed === 1 ? 'a synchronous standby' : `${needed} synchronous standbys`}, and ${synchronous === 0 ? 'none' : synchronous} is connected: every write hangs`,
      'Start the standby, or clear synchronous_standby_names and reload PostgreSQL',
    );
  if (connected === 0) return ok('None connected, none required');
  if (lag > 60) return warning(behind, 'Check the network and the disks of the standby');
  return ok(`${behind}${wanted === '' ? '' : `, ${synchronous} synchronous`}`);
}

async function clock(database: DatabaseToCheck): Promise<DoctorFinding> {
  const { theirs, sent, received } = await database.ask(async (db) => {
    const from = Date.now();
    const { now } = await db.one(doctor.server);
    return { theirs: now, sent: from, received: Date.now() };
  });
  // The database read its clock between sending and receiving.
  const apart = Math.max(0, theirs - received, sent - theirs) / 1000;
  const said = `${apart.toFixed(1)} s difference from the database clock`;
  const remedy = 'Synchronize the clocks of all machines with chrony or systemd-timesyncd';
  if (apart > 30) return problem(said, remedy);
  return apart > 2 ? warning(said, remedy) : ok(said);
}
