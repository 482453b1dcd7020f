// @module-tag long
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeBackup } from '../src/platform/backup/backup.ts';
import { restoreBackup } from '../src/platform/backup/restore.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { migrations } from '../src/platform/database/migrations/index.ts';
import {
  emptyTarget,
  entriesOf,
  expectUntouched,
  fileIn,
  installationOf,
  putBytes,
  type Saved,
  savedService,
  type Target,
} from './support/backup.ts';
import { dispose, startTestService } from './support/service.ts';

let saved: Saved;
/** For archives that are found damaged while they are read: each finds it as the one before must have left it. */
let sharedTarget: Target;
const ends: (() => Promise<void>)[] = [];
const nowhere = { DRYDOCK_DATABASE_URL: 'postgres://nobody@localhost:1/none' };

beforeAll(async () => {
  saved = await savedService();
  sharedTarget = await emptyTarget({}, (end) => void ends.push(end));
});
afterAll(async () => {
  for (const end of ends) await end();
  await saved?.dispose();
});

/** A copy of the archive with other bytes. */
async function altered(change: (bytes: Buffer) => Buffer): Promise<string> {
  const path = fileIn(saved.folder);
  await writeFile(path, change(await readFile(saved.archive)));
  return path;
}

function alteredTar(change: (tar: Buffer) => Buffer): Promise<string> {
  return altered((bytes) => gzipSync(change(gunzipSync(bytes))));
}

function without(name: string): Promise<string> {
  return alteredTar((tar) => {
    const entry = entriesOf(tar).get(name);
    return Buffer.concat([tar.subarray(0, entry?.start), tar.subarray(entry?.end)]);
  });
}

function expectNoFile(path: string): void {
  expect([existsSync(path), existsSync(`${path}.partial`)]).toEqual([false, false]);
}

test.each([0, 1, 20, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, -9, -1])(
  'an archive cut at %d is refused and nothing is written',
  async (place) => {
    const cut = await altered((bytes) =>
      bytes.subarray(0, Number.isInteger(place) ? place : Math.floor(bytes.length * place)),
    );
    await expect(restoreBackup(sharedTarget.installation, cut)).rejects.toThrow(
      /^\S+ is (damaged or incomplete|not a Drydock backup) \([^\n]+$/,
    );
    await expectUntouched(sharedTarget);
  },
);

test.each<[string, () => Promise<string>, RegExp]>([
  ['its end', () => without('end.json'), /its end is out of place/],
  ['its blobs', () => without(`blobs/${saved.blob.id}`), /has 1 blobs instead of 2/],
  ['rows', () => without('tables/servers/000001.copy'), /table servers has 0 rows instead of 2/],
  ['rows that others need', () => without('tables/projects/000001.copy'), /foreign key/],
])('an archive that lost %s is refused and nothing is written', async (_, lossy, message) => {
  await expect(restoreBackup(sharedTarget.installation, await lossy())).rejects.toThrow(message);
  await expectUntouched(sharedTarget);
});

test('a changed blob is noticed and nothing is written', async () => {
  const name = `blobs/${saved.blob.id}`;
  const bent = await alteredTar((tar) => {
    entriesOf(tar).get(name)?.body.fill('x', 1000, 1100);
    return tar;
  });
  await expect(restoreBackup(sharedTarget.installation, bent)).rejects.toThrow(
    `blob ${saved.blob.id} differs from the saved one`,
  );
  await expectUntouched(sharedTarget);
});

test.each([0.002, 0.01, 0.2, 0.5, 0.8])('wrong bytes at %d of the file are noticed', async (place) => {
  const bent = await altered((bytes) => {
    bytes.set(randomBytes(40), Math.floor(bytes.length * place));
    return bytes;
  });
  await expect(restoreBackup(sharedTarget.installation, bent)).rejects.toThrow(
    /damaged|not a Drydock backup/,
  );
  await expectUntouched(sharedTarget);
});

test.each<[string, () => Promise<string>, RegExp]>([
  ['a text', () => altered(() => Buffer.from('drydock\n'.repeat(1000))), /is not a Drydock backup/],
  ['a zipped text', () => altered(() => gzipSync('drydock\n'.repeat(1000))), /is not a Drydock backup/],
  ['another tar', () => without('manifest.json'), /is not a Drydock backup/],
  ['a folder', async () => saved.folder, /^Cannot read .+EISDIR/],
  ['nothing', async () => join(saved.folder, 'nothing'), /^Cannot read .+ENOENT/],
])('%s instead of a backup is refused before the target is touched', async (_, path, message) => {
  const target = await emptyTarget(nowhere);
  await expect(restoreBackup(target.installation, await path())).rejects.toThrow(message);
  await expectUntouched(target);
});

test('a backup of a newer version is refused before the target is touched', async () => {
  const newer = await emptyTarget();
  await migrate(newer.client, [...migrations, { name: '9999-future', sql: 'create table futures (id int)' }]);
  const file = fileIn(saved.folder);
  await writeBackup(newer.installation, file);
  const target = await emptyTarget(nowhere);
  await expect(restoreBackup(target.installation, file)).rejects.toThrow(
    /was made by a newer Drydock \(.+, migration 9999-future\)\. Restore it with that version/,
  );
  const format = await alteredTar((tar) => {
    tar.write('"format": 2', tar.indexOf('"format": 1'));
    return tar;
  });
  await expect(restoreBackup(target.installation, format)).rejects.toThrow(/newer Drydock \(.+, format 2\)/);
  await expectUntouched(target);
});

test('a database in use is refused and stays as it is', async () => {
  const target = await emptyTarget();
  await migrate(target.client);
  await target.client.query("insert into organizations (id, name) values ('o', 'Theirs')");
  await expect(restoreBackup(target.installation, saved.archive)).rejects.toThrow(
    /already contains organizations .+ Set DRYDOCK_DATA_DIR to a new folder, or DRYDOCK_DATABASE_URL/,
  );
  expect((await target.client.query('select name from organizations')).rows).toEqual([{ name: 'Theirs' }]);
});

test('a database with tables of others is refused and they stay as they are', async () => {
  const { client, installation } = await emptyTarget();
  await client.query('create table notes (note text); insert into notes values (1)');
  await expect(restoreBackup(installation, saved.archive)).rejects.toThrow(
    'tables of another application (notes)',
  );
  await migrate(client);
  await expect(restoreBackup(installation, saved.archive)).rejects.toThrow(
    'has a table notes and the backup',
  );
  expect((await client.query('select from notes')).rowCount).toBe(1);
});

test('a data directory is saved while a service runs on it, and not restored into', async () => {
  const service = await startTestService({ env: { DRYDOCK_DATABASE_URL: '' }, worker: false });
  onTestFinished(() => dispose(service));
  const installation = installationOf(service.running.services.config);
  await expect(restoreBackup(installation, saved.archive)).rejects.toThrow(/already serves the data dir/);
  const file = fileIn(saved.folder);
  await writeBackup(installation, file);
  expect((await service.get('/projects')).status).toBe(200);
  await restoreBackup((await emptyTarget()).installation, file);
});

test('a key that cannot open the secrets is refused, wherever it is', async () => {
  const wrong = randomBytes(32).toString('hex');
  const target = await emptyTarget({ DRYDOCK_MASTER_KEY: wrong });
  await expect(restoreBackup(target.installation, saved.archive)).rejects.toThrow(
    /DRYDOCK_MASTER_KEY is not the key/,
  );
  await expectUntouched(target);
  const other = await emptyTarget();
  const path = join(other.dataDir, 'master.key');
  await writeFile(path, wrong, { mode: 0o644 });
  await expect(restoreBackup(other.installation, saved.archive)).rejects.toThrow('chmod 600');
  await chmod(path, 0o600);
  await expect(restoreBackup(other.installation, saved.archive)).rejects.toThrow(/master.key is not the key/);
  expect(await readFile(path, 'utf8')).toBe(wrong);
  const file = fileIn(saved.folder);
  const mine = installationOf({ ...saved.installation.config, masterKey: wrong });
  await expect(writeBackup(mine, file, { withMasterKey: true })).rejects.toThrow(
    'does not match the database',
  );
  expectNoFile(file);
});

test('a file in the way is refused unless --force is given', async () => {
  const { installation, folder } = saved;
  const file = fileIn(folder);
  await writeFile(file, 'precious');
  await expect(writeBackup(installation, file)).rejects.toThrow(/exists\. Name another file, or add --force/);
  expect(await readFile(file, 'utf8')).toBe('precious');
  await writeBackup(installation, file, { force: true });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await restoreBackup((await emptyTarget()).installation, file);
  const other = fileIn(folder);
  await writeFile(`${other}.partial`, 'somebody writes');
  onTestFinished(() => rm(`${other}.partial`, { force: true }));
  await expect(writeBackup(installation, other)).rejects.toThrow(/partial exists/);
  expect(await readFile(`${other}.partial`, 'utf8')).toBe('somebody writes');
  await expect(writeBackup(installation, folder, { force: true })).rejects.toThrow(/is a folder/);
  await expect(writeBackup(installation, join(folder, 'no/where'))).rejects.toThrow(/^Cannot write .+ENOENT/);
});

test('an empty or absent source is refused, and nothing is made', async () => {
  const file = fileIn(saved.folder);
  const { installation, dataDir } = await emptyTarget();
  await expect(writeBackup(installation, file)).rejects.toThrow('The database has no data of Drydock');
  const absent = { ...installation.config, databaseUrl: undefined, dataDir: join(dataDir, 'absent') };
  await expect(writeBackup(installationOf(absent), file)).rejects.toThrow('There is no data directory');
  expect(existsSync(absent.dataDir)).toBe(false);
  expectNoFile(file);
});

test('a missing or changed blob file fails the backup by name, and no file is left', async () => {
  const { installation, blob } = saved;
  const { blobs } = installation;
  onTestFinished(async () => void (await putBytes(blobs, blob.id, blob.bytes)));
  const file = fileIn(saved.folder);
  await blobs.remove(blob.id);
  await expect(writeBackup(installation, file)).rejects.toThrow(`The file of blob ${blob.id} is missing`);
  for (const size of [0, 10, 300_000, 400_000]) {
    await putBytes(blobs, blob.id, randomBytes(size));
    await expect(writeBackup(installation, file)).rejects.toThrow(
      `blob ${blob.id} does not match its stored hash`,
    );
  }
  expectNoFile(file);
});

test('a place that cannot be written to is named, and nothing is written', async () => {
  const withKey = fileIn(saved.folder);
  await writeBackup(saved.installation, withKey, { withMasterKey: true });
  const target = await emptyTarget();
  const { config } = target.installation;
  const inside = join(saved.archive, 'inside');
  const blobless = installationOf({ ...config, blobsUrl: `file://${inside}` });
  await expect(restoreBackup(blobless, withKey)).rejects.toThrow(/^Cannot (store blob|read the blob store)/);
  await expectUntouched(target);
  const keyless = { ...target.installation, config: { ...config, dataDir: inside } };
  await expect(restoreBackup(keyless, withKey)).rejects.toThrow(/^Cannot write .+master.key: ENOTDIR/);
  await expectUntouched(target);
});

test('a failed restore leaves the files of a blob store it shares alone', { tags: ['long'] }, async () => {
  const { installation, blob, archive } = saved;
  const { url } = (await emptyTarget()).database;
  const sharing = installationOf({ ...installation.config, databaseUrl: url });
  const cut = await altered((bytes) => bytes.subarray(0, -1));
  await expect(restoreBackup(sharing, cut)).rejects.toThrow(/damaged/);
  expect(Buffer.concat(await installation.blobs.read(blob.id).toArray())).toEqual(blob.bytes);
  expect((await restoreBackup(sharing, archive)).blobs).toBe(2);
});

test.each(['plans', 'servers', 'blobs'])('an interrupt at %s leaves nothing behind', async (step) => {
  const file = fileIn(saved.folder);
  const attention = () => {
    const interruption = new AbortController();
    const progress = (what: string): void => {
      if (what === step) interruption.abort(new Error('enough'));
    };
    return { signal: interruption.signal, progress };
  };
  await expect(writeBackup(saved.installation, file, attention())).rejects.toThrow('enough');
  expectNoFile(file);
  await expect(restoreBackup(sharedTarget.installation, saved.archive, attention())).rejects.toThrow(
    'enough',
  );
  await expectUntouched(sharedTarget);
});

test('what all of them have left takes a whole archive', async () => {
  expect((await restoreBackup(sharedTarget.installation, saved.archive)).blobs).toBe(2);
});
