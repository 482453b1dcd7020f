import type pg from 'pg';
import type { Log } from '../../log.ts';
import { OperatorProblem } from '../../problem.ts';
import { prepareBinaries } from './binaries.ts';
import { Cluster } from './cluster.ts';
import { findHome } from './home.ts';

/**
 * Every process that uses the server holds this lock shared. A process that gets it exclusively is the last one, and
 * stops the server.
 */
const usersLock = 4_700_001;
/** Held by the one service that a data directory may have. */
const serviceLock = 4_700_002;

interface Purpose {
  /** A service claims the data directory exclusively; an operator command shares it. */
  exclusive: boolean;
  /** The database is deleted afterwards. */
  temporary?: boolean;
}

/** The embedded server while this process uses it. */
export class EmbeddedDatabase {
  private readonly cluster: Cluster;
  private readonly purpose: Purpose;
  private readonly dataDir: string;
  private readonly log: Log;
  private presence: pg.Client | undefined;
  private stopping = false;
  private rejoining: Promise<void> = Promise.resolve();

  private constructor(cluster: Cluster, dataDir: string, purpose: Purpose, log: Log) {
    this.cluster = cluster;
    this.dataDir = dataDir;
    this.purpose = purpose;
    this.log = log;
  }

  /** Resolves when the server can be used. */
  static async open(dataDir: string, purpose: Purpose, log: Log): Promise<EmbeddedDatabase> {
    const database = await EmbeddedDatabase.begin(dataDir, purpose, log);
    await database.join();
    return database;
  }

  /** Creates the cluster if there is none, and starts the server, which is ready when `join` resolves. */
  static async begin(dataDir: string, purpose: Purpose, log: Log): Promise<EmbeddedDatabase> {
    const home = await findHome(dataDir);
    if (home.elsewhere && purpose.exclusive)
      log.warn('The user of PostgreSQL cannot access the data directory; its files are stored elsewhere', {
        dataDir,
        databaseFiles: home.path,
      });
    const cluster = new Cluster(home, await prepareBinaries(home), purpose);
    await cluster.create();
    await cluster.startEarly();
    return new EmbeddedDatabase(cluster, dataDir, purpose, log);
  }

  get connection(): { host: string; user: string; database: string } {
    return this.cluster.connection('drydock');
  }

  /** Whether a service uses the data directory now. */
  async isServed(): Promise<boolean> {
    const found = await this.presence?.query<{ served: boolean }>(
      `select exists (select from pg_locks where locktype = 'advisory' and objid = $1 and granted) as served`,
      [serviceLock],
    );
    return found?.rows[0]?.served ?? false;
  }

  async join(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.cluster.connect();
      try {
        // Waits while the last user stops the server, then fails, because the server is gone. The caller starts it
        // again.
        await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
        if (this.purpose.exclusive) await this.claimService(client);
        await createDatabaseOnce(client);
        this.presence = client;
        client.once('end', () => {
          this.rejoining = this.afterLoss();
        });
        return;
      } catch (error) {
        await client.end().catch(() => {});
        if (error instanceof OperatorProblem || attempt === 20) throw error;
      }
    }
  }

  private async claimService(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
      serviceLock,
    ]);
    if (rows[0]?.mine) return;
    const holder = await client.query<{ name: string }>(
      `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
      [serviceLock],
    );
    const pid = /\d+/.exec(holder.rows[0]?.name ?? '')?.[0];
    throw new OperatorProblem(
      `Another Drydock${pid ? ` (process ${pid})` : ''} already serves the data directory ${this.dataDir}. Stop it, or set DRYDOCK_DATA_DIR to another folder`,
    );
  }

  /** Restarts the server after a crash. Requests fail until it is back. */
  private async afterLoss(): Promise<void> {
    if (this.stopping) return;
    this.log.error('Embedded database exited unexpectedly; restarting it');
    try {
      await this.join();
      this.log.info('Embedded database restarted');
    } catch (error) {
      this.log.error('Embedded database cannot be restarted; shutting down', {}, error);
      process.kill(process.pid, 'SIGTERM');
    }
  }

  /** Stops the server if no other process uses it. A server that just crashed is not restarted. */
  async close(): Promise<void> {
    this.stopping = true;
    await this.rejoining;
    const client = this.presence;
    if (!client) return;
    try {
      await client.query('select pg_advisory_unlock_shared($1)', [usersLock]);
      const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
        usersLock,
      ]);
      if (rows[0]?.alone) await this.cluster.stop();
    } catch (error) {
      this.log.warn('Embedded database had already exited', {
        error: (error as Error).message,
      });
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function createDatabaseOnce(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = 'drydock'");
  if (rowCount) return;
  await client.query('create database drydock').catch((error: { code?: string }) => {
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
}
