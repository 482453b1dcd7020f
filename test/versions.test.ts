// @module-tag long
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../src/platform/database/migrate.ts';
import { type Migration, migrations } from '../src/platform/database/migrations/index.ts';
import { createDatabase } from './support/database.ts';
import { Drydock, program } from './support/process.ts';

/** The last commit of the version before this one. */
const previous = 'af728a3d94ac6721f3d9f4459c6a7650347ef044';
const root = new URL('..', import.meta.url).pathname;
const hasPrevious = spawnSync('git', ['cat-file', '-e', previous], { cwd: root }).status === 0;

/** Builds the previous version with the packages of this one. */
async function buildPrevious(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-previous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const archive = `git archive ${previous} package.json tsconfig.json src | tar -x -C ${folder}`;
  await promisify(execFile)('bash', ['-c', archive], { cwd: root });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outdir: 'dist/program',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  return folder;
}

test.runIf(hasPrevious)('the version before and this one work side by side on one database', async () => {
  const [folder, database] = await Promise.all([buildPrevious(), createDatabase({ empty: true })]);
  onTestFinished(() => database.drop());
  const env = {
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_MASTER_KEY: 'ab'.repeat(32),
    DRYDOCK_BOOTSTRAP_KEY: `sk_${'k'.repeat(40)}`,
    DRYDOCK_PORT: '0',
    DRYDOCK_RATE_LIMIT: '60000/60000',
    DRYDOCK_ALLOW_STDIO: 'true',
  };
  const start = async (entry: string, data: string): Promise<Drydock> => {
    const settings = { ...env, DRYDOCK_DATA_DIR: join(folder, data) };
    const started = new Drydock(['serve'], settings, { entry, cwd: folder });
    onTestFinished(() => void started.child.kill('SIGKILL'));
    return started.ready();
  };
  const older = await start(join(folder, 'dist/program/main.js'), 'older');
  const ask = async (service: Drydock, method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${env.DRYDOCK_BOOTSTRAP_KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  // Sends requests all the while, also while the tables change.
  const over = new AbortController();
  const statuses: number[] = [];
  const asking = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      statuses.push((await ask(older, 'POST', '/projects', { name: `During ${n}` })).status);
      statuses.push((await ask(older, 'GET', '/projects')).status);
    }
  })();
  const newer = await start(program, 'newer');
  for (const [here, there] of [
    [older, newer],
    [newer, older],
  ] as const) {
    const { body: project } = await ask(here, 'POST', '/projects', { name: 'Shared' });
    const path = `/projects/${String(project['id'])}`;
    const { status } = await ask(there, 'POST', `${path}/servers`, {
      name: 'kept',
      url: 'http://127.0.0.1:9/mcp',
    });
    const { body: list } = await ask(here, 'GET', `${path}/servers`);
    const { body: removed } = await ask(there, 'DELETE', path);
    expect({ status, list, removed }).toMatchObject({
      status: 201,
      list: { items: [{ name: 'kept' }] },
      removed: { id: project['id'] },
    });
  }
  over.abort();
  await asking;
  expect(statuses.filter((status) => status >= 300)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(4);
  expect((await older.end()).code).toBe(0);
  expect((await newer.end()).code).toBe(0);
});

const later: Migration = { name: '9997-later', sql: 'create table later (id text)' };
const unused: Migration = { name: '9998-unused', sql: 'alter table later drop id', contracts: '0.1.0' };
const contracting: Migration = { name: '9999-contracting', sql: 'drop table later', contracts: '99.0.0' };

test('a version goes on with what a newer one added, not with what one took away, which waits for older processes', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const client = await database.connect();
  onTestFinished(() => client.end());
  expect(await migrate(client, [...migrations, later])).toEqual(['9997-later']);
  // Removes something that this version no longer uses.
  expect(await migrate(client, [...migrations, later, unused])).toEqual(['9998-unused']);
  expect(await migrate(client)).toEqual([]);
  await client.query("insert into replicas (id, role, version) values ('one', 'worker', '2.0.0')");
  const all = [...migrations, later, unused, contracting];
  await expect(migrate(client, all)).rejects.toThrow(
    /such versions are running: worker 2.0.0. Stop them first/,
  );
  await client.query("update replicas set version = '99.0.1'");
  expect(await migrate(client, all)).toEqual(['9999-contracting']);
  await expect(migrate(client)).rejects.toThrow('Start version 99.0.0 or later');
});
