import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Config } from '../config/settings.ts';
import { OperatorProblem } from '../problem.ts';
import { hostsOf } from './connect.ts';
import { type Db, InTransaction } from './database.ts';
import { addressOfExisting } from './embedded/cluster.ts';
import { isBehindPooler } from './manner.ts';
import { planMigrations } from './migrate.ts';
import { Primary } from './primary.ts';

/** Milliseconds for the connection and for each answer. */
const patience = 8_000;

/** A connection that can write nothing; or that there is no embedded database yet, or that it does not run. */
export async function dialToLook(config: Config): Promise<ReadingConnection | 'absent' | 'stopped'> {
  const embedded = config.databaseUrl === undefined ? await addressOfExisting(config.dataDir) : undefined;
  if (config.databaseUrl === undefined && !embedded) return 'absent';
  if (embedded && !existsSync(`${embedded.host}/.s.PGSQL.5432`)) return 'stopped';
  const hosts = hostsOf(embedded ?? config.databaseUrl);
  const client = new pg.Client({
    ...hosts[await theOneThatWrites(hosts)],
    application_name: 'drydock doctor',
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return new ReadingConnection(client, await isBehindPooler(client));
  } catch (error) {
    await client.end().catch(() => {});
    const { code } = error as { code?: string };
    if (embedded && (code === 'ECONNREFUSED' || code === 'ENOENT')) return 'stopped';
    throw error;
  }
}

/** Of several; where none does, whichever comes first says why. */
async function theOneThatWrites(hosts: pg.ClientConfig[]): Promise<number> {
  if (hosts.length === 1) return 0;
  const primary = new Primary(hosts);
  try {
    return (await primary.look()) ?? 0;
  } finally {
    primary.forget();
  }
}

/** Transactions that only read, one after the other. */
export class ReadingConnection {
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
    await this.client.query(`begin read only; set local statement_timeout = ${patience}`);
    try {
      // Behind a pooler another client may have given the same name to a statement.
      return await work(new InTransaction(this.client, false));
    } finally {
      await this.client.query('rollback').catch(() => {});
    }
  }
}
