import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { dispose, startForTest, startTestService } from '../../../test/support/service.ts';
import { createKeyFile, keysFromEnvironment, keysFromFile, newMasterKey } from './master-key.ts';
import { Vault } from './vault.ts';

const hex = (): string => newMasterKey().bytes.toString('hex');

test('a sealed value comes back as it was, and its bytes say nothing', async () => {
  const service = await startForTest();
  const { vault, db } = service.running.services;
  const organizationId = (await service.get('/organizations')).body.items[0].id as string;
  const owner = { organizationId, projectId: null };
  const value = { token: 'plain text 💥', list: [1, null] };
  const id = await vault.seal(db, owner, value);
  expect(await vault.open(db, id)).toEqual(value);
  const twin = await vault.seal(db, owner, value);
  const client = await service.database.connect();
  const { rows } = await client.query('select ciphertext from sealed_values where id = any($1)', [
    [id, twin],
  ]);
  expect(rows[0].ciphertext.equals(rows[1].ciphertext)).toBe(false);
  expect(rows[0].ciphertext.includes('plain text')).toBe(false);
  // A ciphertext that was moved to another row or modified cannot be decrypted.
  await client.query('update sealed_values set ciphertext = $2 where id = $1', [twin, rows[0].ciphertext]);
  await expect(vault.open(db, twin)).rejects.toThrow();
  rows[0].ciphertext[30] ^= 1;
  await client.query('update sealed_values set ciphertext = $2 where id = $1', [id, rows[0].ciphertext]);
  await client.end();
  await expect(vault.open(db, id)).rejects.toThrow();
});

test('rotation while the service runs and writes: every value stays readable, none stays under the old key', async () => {
  const service = await startForTest();
  const { dataDir } = service.running.services.config;
  const project = await service.defaultProject();
  const path = join(dataDir, 'master.key');
  const oldKey = await readFile(path, 'utf8');
  const writer = { stopped: false };
  let written = 0;
  const writes = (async () => {
    for (; !writer.stopped; written++) {
      const headers = { 'X-Number': String(written) };
      const { status } = await service.post(`/projects/${project}/servers`, {
        name: `s${written}`,
        url: 'https://e.com',
        headers,
      });
      expect(status).toBe(201);
    }
  })();
  const operator = new Vault(keysFromFile(path));
  for (let round = 0; round < 3; round++) await operator.rotate(service.db);
  writer.stopped = true;
  await writes;
  expect(written).toBeGreaterThan(0);
  expect(await readFile(path, 'utf8')).not.toBe(oldKey);
  expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const fresh = new Vault(keysFromFile(path));
  await fresh.attach(service.db);
  const client = await service.database.connect();
  const { rows } = await client.query(
    'select v.id, s.name from sealed_values v join servers s on s.sealed_id = v.id',
  );
  await client.end();
  expect(rows).toHaveLength(written);
  for (const { id, name } of rows)
    expect(await fresh.open(service.db, id)).toEqual({ headers: { 'X-Number': name.slice(1) } });
});

test('with the key in the environment, a new key before the old one moves everything over', async () => {
  const old = hex();
  const fresh = hex();
  const service = await startForTest({ env: { DRYDOCK_MASTER_KEY: old } });
  const project = await service.defaultProject();
  await service.post(`/projects/${project}/servers`, { name: 's', url: 'https://e.com', clientSecret: 'x' });
  // A replica with both keys continues to use the old one until all values are re-encrypted.
  const prepared = await startTestService({
    database: service.database,
    dataDir: service.running.services.config.dataDir,
    env: { DRYDOCK_MASTER_KEY: `${fresh},${old}` },
  });
  onTestFinished(() => prepared.stop());
  const save = (name: string) =>
    prepared.post(
      `/projects/${project}/servers`,
      { name, url: 'https://e.com', clientSecret: 'y' },
      { key: service.key },
    );
  expect((await save('before')).status).toBe(201);
  const operator = new Vault(keysFromEnvironment(`${fresh},${old}`));
  await expect(operator.rotate(service.db)).rejects.toThrow('DRYDOCK_MASTER_KEY');
  expect(await operator.reseal(service.db)).toBe(2);
  expect((await save('after')).status).toBe(201);
  await new Vault(keysFromEnvironment(fresh)).attach(service.db);
  await expect(new Vault(keysFromEnvironment(old)).attach(service.db)).rejects.toThrow('does not match');
});

test('a service with the wrong or a lost master key does not start and damages nothing', async () => {
  const service = await startForTest();
  const { dataDir } = service.running.services.config;
  const other = { database: service.database, dataDir };
  await expect(startTestService({ ...other, env: { DRYDOCK_MASTER_KEY: hex() } })).rejects.toThrow(
    'The master key does not match',
  );
  const path = join(dataDir, 'master.key');
  const kept = await readFile(path);
  await rm(path);
  await expect(startTestService(other)).rejects.toThrow(/cannot be read.*Put the file back/);
  await writeFile(path, kept, { mode: 0o600 });
  await (await startTestService(other)).stop();
});

test('a key file is made once, for its owner only, and must hold keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'new', 'master.key');
  await createKeyFile(path);
  const content = await readFile(path, 'utf8');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await createKeyFile(path);
  expect(await readFile(path, 'utf8')).toBe(content);
  await writeFile(path, 'not a key');
  expect(() => new Vault(keysFromFile(path))).toThrow('64 hex digits');
});

test('a key file that others can read or write is refused, as SSH refuses a private key', async () => {
  const service = await startForTest();
  const { dataDir } = service.running.services.config;
  const path = join(dataDir, 'master.key');
  for (const mode of [0o640, 0o620, 0o604, 0o602, 0o610, 0o644, 0o666]) {
    await chmod(path, mode);
    expect(() => keysFromFile(path).read()).toThrow(`mode 0${mode.toString(8)}). Run: chmod 600 ${path}`);
  }
  const other = { database: service.database, dataDir };
  await expect(startTestService(other)).rejects.toThrow('chmod 600');
  for (const mode of [0o400, 0o600]) {
    await chmod(path, mode);
    expect(keysFromFile(path).read()).toHaveLength(1);
  }
  // Left behind by an interrupted rotation.
  await writeFile(`${path}.new`, '');
  await chmod(`${path}.new`, 0o666);
  await new Vault(keysFromFile(path)).rotate(service.db);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await (await startTestService(other)).stop();
});

test('of two services that bring different keys to an empty database the second is refused', async () => {
  const database = await createDatabase();
  const start = () => startTestService({ database, env: { DRYDOCK_MASTER_KEY: hex() } });
  const [a, b] = await Promise.allSettled([start(), start()]);
  const started = [a, b].flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  onTestFinished(async () => {
    for (const service of started) await dispose(service);
    await database.drop();
  });
  expect(started).toHaveLength(1);
  const { reason } = [a, b].find((outcome) => outcome.status === 'rejected') as PromiseRejectedResult;
  expect(String(reason)).toContain('The master key does not match');
});
