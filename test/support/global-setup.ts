import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { EmbeddedDatabase } from '../../src/platform/database/embedded/index.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { type AsCopied, asCopied } from './tidy-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; user: string };
    /** The initial state of every test database. */
    asCopied: AsCopied;
    /** A data directory whose database has empty tables only. */
    newDataDir: string;
    /** The folder for programs that tests start. */
    scripts: string;
  }
}

/**
 * One real PostgreSQL for the whole suite, with a database for each test service. Processes that start a
 * database of their own begin with a copy of its new data directory.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drydock-test-'));
  const newDataDir = `${dataDir}-new`;
  await chmod(dataDir, 0o711);
  const log = createLog('error');
  const made = await EmbeddedDatabase.open(dataDir, { exclusive: true }, log);
  const first = new pg.Client(made.connection);
  await first.connect();
  await migrate(first);
  // Test data is discarded, so nothing is synced or vacuumed. Killed processes lose nothing by it.
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await first.query(`alter system set ${setting} = off`);
  await first.end();
  await made.close();
  await copyFolder(dataDir, newDataDir);
  // Laid out like the package, because the program finds its version there.
  const scriptsHome = await mkdtemp(join(tmpdir(), 'drydock-scripts-'));
  await chmod(scriptsHome, 0o755);
  const scripts = join(scriptsHome, 'dist/program');
  await mkdir(scripts, { recursive: true });
  await copyFile(new URL('../../package.json', import.meta.url), join(scriptsHome, 'package.json'));
  const database = await EmbeddedDatabase.open(dataDir, { exclusive: true }, log);
  const { host, user } = database.connection;
  const admin = new pg.Client({ host, user, database: 'postgres' });
  await admin.connect();
  // This server is never killed, so no commit is lost.
  await admin.query('alter system set synchronous_commit = off');
  // Parallel workers take longer to start than a scan of the small tables takes.
  await admin.query('alter system set max_parallel_workers_per_gather = 0');
  await admin.query('select pg_reload_conf()');
  await admin.query('create database drydock_template template drydock');
  await admin.end();
  // The first connection writes the catalog cache, so that connections to copies need not.
  const template = new pg.Client({ host, user, database: 'drydock_template' });
  await template.connect();
  project.provide('asCopied', await asCopied(template));
  await template.end();
  project.provide('postgres', { host, user });
  project.provide('newDataDir', newDataDir);
  project.provide('scripts', scripts);
  return async () => {
    await database.close();
    for (const folder of [dataDir, newDataDir, scriptsHome])
      await rm(folder, { recursive: true, force: true });
  };
}

/** Keeps the owners of the files, because the database runs as another user. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}
