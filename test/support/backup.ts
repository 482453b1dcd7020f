import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { writeBackup } from '../../src/platform/backup/backup.ts';
import type { Installation } from '../../src/platform/backup/installation.ts';
import { openBlobs } from '../../src/platform/blobs/open.ts';
import type { BlobStore } from '../../src/platform/blobs/store.ts';
import { loadConfig } from '../../src/platform/config/load.ts';
import type { Config } from '../../src/platform/config/settings.ts';
import * as blobRows from '../../src/platform/database/queries/blobs.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import type { AtEnd } from './process.ts';
import { dispose, startTestService, type TestService } from './service.ts';

export function installationOf(config: Config): Installation {
  return { config, blobs: openBlobs(config), log: createLog('silent') };
}

/** A running service with something of everything, and a backup of it. */
export interface Saved {
  service: TestService;
  installation: Installation;
  project: string;
  blob: { id: string; bytes: Buffer };
  /** Made once and only read. */
  archive: string;
  folder: string;
  dispose(): Promise<void>;
}

export async function savedService(): Promise<Saved> {
  const service = await startTestService();
  const folder = await mkdtemp(join(tmpdir(), 'drydock-backup-'));
  const { services } = service.running;
  const { id: project, organizationId } = (await service.get('/projects')).body.items[0];
  const path = `/projects/${project}/servers`;
  await service.post(path, { name: 'secretive', url: 'https://e.com', headers: { A: 'tell-nobody' } });
  await service.post(path, { name: 'odd \\N "line"', command: 'node', args: ['ä\t', '\\.', 'a\nb'] });
  // Random, so that the archive has a middle worth cutting.
  const blob = { id: newId('blob'), bytes: randomBytes(300_000) };
  for (const { id, bytes } of [blob, { id: newId('blob'), bytes: Buffer.alloc(0) }]) {
    const stored = await putBytes(services.blobs, id, bytes);
    const row = { id, organizationId, projectId: project, contentType: 'text/plain', ...stored };
    await services.db.run(blobRows.insert, row);
  }
  const archive = join(folder, 'whole.tar.gz');
  const installation = installationOf(services.config);
  await writeBackup(installation, archive);
  return {
    service,
    installation,
    project,
    blob,
    archive,
    folder,
    dispose: async () => {
      await dispose(service);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function putBytes(blobs: BlobStore, id: string, bytes: Buffer) {
  const content = (async function* () {
    yield bytes;
  })();
  return blobs.put(id, content, bytes.length);
}

/** A path for one test. */
export function fileIn(folder: string, name = 'backup.tar.gz'): string {
  const path = join(folder, `${newId('f')}-${name}`);
  onTestFinished(() => rm(path, { force: true }));
  return path;
}

export interface Target {
  database: TestDatabase;
  dataDir: string;
  installation: Installation;
  client: pg.Client;
}

/** An empty database and an empty data directory, removed with the test, or when `atEnd` says. */
export async function emptyTarget(
  env: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Target> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drydock-target-'));
  const database = await createDatabase({ empty: true });
  const client = await database.connect();
  atEnd(async () => {
    await client.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const settings = { DRYDOCK_DATA_DIR: dataDir, DRYDOCK_DATABASE_URL: database.url, ...env };
  return { database, dataDir, client, installation: installationOf(loadConfig(settings).config) };
}

export async function startOn({ dataDir, database }: Target): Promise<TestService> {
  const service = await startTestService({ dataDir, database, worker: false });
  onTestFinished(() => service.stop());
  return service;
}

export async function shareKey(from: Saved, to: Target): Promise<void> {
  const key = await readFile(join(from.installation.config.dataDir, 'master.key'));
  await writeFile(join(to.dataDir, 'master.key'), key, { mode: 0o600 });
}

/** No row but those of the migrations, and no file: what a refused restore leaves. */
export async function expectUntouched({ client, dataDir }: Target): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'schema_migrations'`,
  );
  for (const { name } of rows) {
    const { rowCount } = await client.query(`select from ${name}`);
    expect([name, rowCount]).toEqual([name, name === 'plans' ? 1 : 0]);
  }
  const left = await readdir(dataDir, { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile()).map((entry) => entry.name)).toEqual([]);
}

/** The entries of a tar, with the few lines that takes. */
export function entriesOf(tar: Buffer): Map<string, { start: number; body: Buffer; end: number }> {
  const found = new Map<string, { start: number; body: Buffer; end: number }>();
  for (let start = 0; tar[start]; ) {
    const name = tar.toString('latin1', start, tar.indexOf(0, start));
    const size = Number.parseInt(tar.toString('latin1', start + 124, start + 135), 8);
    const end = start + 512 + Math.ceil(size / 512) * 512;
    found.set(name, { start, body: tar.subarray(start + 512, start + 512 + size), end });
    start = end;
  }
  return found;
}
