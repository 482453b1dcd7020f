import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { EmbeddedDatabase } from '../../src/platform/database/embedded/index.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createLog } from '../../src/platform/log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; user: string };
  }
}

/** One real PostgreSQL for the whole suite; each test service gets a database of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drydock-test-'));
  await chmod(dataDir, 0o711);
  const database = await EmbeddedDatabase.open(dataDir, { exclusive: true }, createLog('error'));
  const { host, user } = database.connection;
  const admin = new pg.Client({ host, user, database: 'postgres' });
  await admin.connect();
  // What it holds is thrown away, so nothing waits for the disk, and making a database is copying files.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await admin.query(`alter system set ${setting} = off`);
  await admin.query('select pg_reload_conf()');
  await admin.query('create database drydock_template');
  await admin.end();
  const template = new pg.Client({ host, user, database: 'drydock_template' });
  await template.connect();
  await migrate(template);
  await template.end();
  project.provide('postgres', { host, user });
  return async () => {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
}
