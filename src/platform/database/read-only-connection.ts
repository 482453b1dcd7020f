import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Config } from '../config/settings.ts';
import { OperatorProblem } from '../problem.ts';
import { hostsOf } from './connect.ts';
import { isBehindPooler } from './connection-mode.ts';
import { type Db, InTransaction } from './database.ts';
import { addressOfExisting } from './embedded/cluster.ts';
import { planMigrations } from './migrate.ts';
import { Primary } from './primary.ts';

/** Milliseconds to connect, and for each statement. */
const timeout = 8_000;

/**
 * Opens a read-only connection. Returns `absent` if there is no embedded database yet, or `stopped` if it does not run.
 */
export async function connectReadOnly(config: Config): Promise<ReadOnlyConnection | 'absent' | 'stopped'> {
  const embedded = config.databaseUrl === undefined ? await addressOfExisting(config.dataDir) : undefined;
  if (config.databaseUrl === undefined && !embedded) return 'absent';
  if (embedded && !existsSync(`${embedded.host}/.s.PGSQL.5432`)) return 'stopped';
  const hosts = hostsOf(embedded ?? config.databaseUrl);
  const client = new pg.Client({
    ...hosts[await indexOfPrimary(hosts)],
    application_name: 'drydock doctor',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return new ReadOnlyConnection(client, await isBehindPooler(client));
  } catch (error) {
    await client.end().catch(() => {});
    const { code } = error as { code?: string };
    if (embedded && (code === 'ECONNREFUSED' || code === 'ENOENT')) return 'stopped';
    throw error;
  }
}

/** If no host is the primary, the first one reports why. */
async function indexOfPrimary(hosts: pg.ClientConfig[]): Promise<number> {
  if (hosts.length === 1) return 0;
  const primary = new Primary(hosts);
  try {
    return (await primary.find()) ?? 0;
  } finally {
    primary.forget();
  }
}

/** Runs read-only transactions, one after the other. */
export class ReadOnlyConnection {
  readonly pooled: boolean;
  private readonly client: pg.Client;
  private last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.Client, pooled: boolean) {
    this.client = client;
    this.pooled = pooled;
  }

  ask<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const turn = this.last.then(() => this.transaction(work));
    this.last = turn.catch(() => {});
    return turn;
  }

  pendingMigrations(): Promise<string[]> {
    return this.ask(async () => {
      const { pending, refusal } = await planMigrations(this.client);
      if (refusal !== undefined) throw new OperatorProblem(refusal);
      return pending;
    });
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => {});
  }

  private async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await this.client.query(`begin read only; set local statement_timeout = ${timeout}`);
    try {
      // Behind a pooler, another client may have prepared a different statement under the same name.
      return await work(new InTransaction(this.client, false));
    } finally {
      await this.client.query('rollback').catch(() => {});
    }
  }
}
