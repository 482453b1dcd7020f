import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkVersion } from '../src/platform/database/connect.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { migrations } from '../src/platform/database/migrations/index.ts';
import { startPostgres15 } from './support/cluster.ts';
import { createDatabase } from './support/database.ts';
import { dispose, startTestService } from './support/service.ts';

async function connectToFresh(): Promise<pg.Client> {
  const database = await createDatabase();
  const client = await database.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  return client;
}

describe('a PostgreSQL of the operator', () => {
  test('one that is too old is refused with the version it has', async () => {
    const client = await connectToFresh();
    await expect(checkVersion(client, 15)).resolves.toBeUndefined();
    await expect(checkVersion(client, 99)).rejects.toThrow(
      /The database is PostgreSQL 18\.\d+; Drydock needs 99 or later/,
    );
  });

  test('three replicas that start together on an empty database migrate it once and share one first boot', async () => {
    const database = await createDatabase({ empty: true });
    const dataDir = await mkdtemp(join(tmpdir(), 'drydock-'));
    const env = { DRYDOCK_MASTER_KEY: 'ab'.repeat(32) };
    const replicas = await Promise.all([1, 2, 3].map(() => startTestService({ database, dataDir, env })));
    onTestFinished(async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const keys = replicas.map((replica) => replica.key).filter((key) => key !== '');
    expect(keys).toHaveLength(1);
    const [first] = keys;
    for (const replica of replicas)
      expect((await replica.get('/me', { key: first as string })).status).toBe(200);
  });

  test('a migration that was edited after it ran stops the start', async () => {
    const client = await connectToFresh();
    const edited = migrations.map((migration) => ({ ...migration, sql: `${migration.sql} -- edited` }));
    await expect(migrate(client, edited)).rejects.toThrow('differs from the one that ran');
    expect(await migrate(client)).toEqual([]);
  });

  test('a migration that fails leaves nothing of itself', async () => {
    const client = await connectToFresh();
    const broken = { name: '9999-broken', sql: 'create table half (id int); select no_such_function();' };
    await expect(migrate(client, [...migrations, broken])).rejects.toThrow('no_such_function');
    expect((await client.query("select to_regclass('half') as half")).rows[0].half).toBeNull();
    expect(await migrate(client)).toEqual([]);
  });
});

describe('PostgreSQL 15, the oldest supported', { tags: ['postgres15'] }, () => {
  test('runs the service', async () => {
    const service = await startTestService({ database: await startPostgres15() });
    onTestFinished(() => dispose(service));
    const project = await service.defaultProject();
    const path = `/projects/${project}/servers`;
    const made = await service.post(
      path,
      { name: 'a', url: 'https://e.com', clientSecret: 'x' },
      { headers: { 'idempotency-key': 'k' } },
    );
    expect(made.status).toBe(201);
    expect(
      (await service.patch(`${path}/${made.body.id}`, { clearClientSecret: true })).body.hasClientSecret,
    ).toBe(false);
    expect((await service.get(path)).body.items).toHaveLength(1);
    expect((await service.get(`/projects/${project}/capabilities`)).status).toBe(200);
    expect((await service.delete(`${path}/${made.body.id}`)).status).toBe(200);
  });
});
