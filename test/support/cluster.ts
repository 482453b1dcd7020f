import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { prepareBinaries } from '../../src/platform/database/embedded/binaries.ts';
import { Cluster } from '../../src/platform/database/embedded/cluster.ts';
import { findHome } from '../../src/platform/database/embedded/home.ts';
import type { TestDatabase } from './database.ts';

/** Where Debian puts the oldest supported PostgreSQL. */
export const debian15 = '/usr/lib/postgresql/15/bin';

export function startPostgres15(): Promise<TestDatabase> {
  const binaries = { initdb: `${debian15}/initdb`, postgres: `${debian15}/postgres`, major: '15' };
  return startPostgres(() => Promise.resolve(binaries));
}

/** A database of a server of its own, which ends when the database is dropped. Left out, the server that we ship. */
export async function startPostgres(
  binariesIn: typeof prepareBinaries = prepareBinaries,
): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-pg-'));
  await chmod(folder, 0o711);
  const home = await findHome(folder);
  const cluster = new Cluster(home, await binariesIn(home));
  await cluster.create();
  const admin = await cluster.connect();
  await admin.query('create database drydock');
  await admin.end();
  const url = `postgres://drydock@localhost/drydock?host=${encodeURIComponent(cluster.socketDir)}`;
  return {
    url,
    connect: async () => {
      const client = new pg.Client(url);
      await client.connect();
      return client;
    },
    drop: async () => {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
