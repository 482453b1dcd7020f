// @module-tag long
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { writeBackup } from '../src/platform/backup/backup.ts';
import { restoreBackup } from '../src/platform/backup/restore.ts';
import { openBlobs } from '../src/platform/blobs/open.ts';
import type { LoadedConfig } from '../src/platform/config/load.ts';
import type { Config } from '../src/platform/config/settings.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { migrations } from '../src/platform/database/migrations/index.ts';
import { newId } from '../src/platform/ids.ts';
import { keysFromFile } from '../src/platform/secrets/master-key.ts';
import type { Host } from '../src/surfaces/cli/host.ts';
import { runCli } from '../src/surfaces/cli/run.ts';
import {
  emptyTarget,
  entriesOf,
  fileIn,
  installationOf,
  type Saved,
  savedService,
  shareKey,
  startOn,
} from './support/backup.ts';
import { bucketCredentials, startBucket } from './support/s3.ts';
import type { TestService } from './support/service.ts';

let saved: Saved;

beforeAll(async () => {
  saved = await savedService();
});
afterAll(() => saved?.dispose());

async function serversOf(service: TestService): Promise<unknown> {
  return (await service.get(`/projects/${saved.project}/servers`, { key: saved.service.key })).body;
}

/** Inserts so many audit events, each with a target of `lines` × 32 bytes. */
async function fill(client: pg.Client, rows: number, lines: number): Promise<void> {
  await client.query(
    `insert into audit_events (id, actor, action, target)
     select 'aud_00' || n, 'filler', 'fill', repeat(md5(n::text), $2) from generate_series(1, $1) n`,
    [rows, lines],
  );
}

test('what is restored answers as it did', async () => {
  const target = await emptyTarget();
  await shareKey(saved, target);
  const restored = await restoreBackup(target.installation, saved.archive);
  expect(restored).toMatchObject({ blobs: 2, warnings: [] });
  const service = await startOn(target);
  const { key } = saved.service;
  expect(service.running.firstKey).toBeUndefined();
  expect((await service.get('/projects', { key })).body).toEqual((await saved.service.get('/projects')).body);
  expect(await serversOf(service)).toEqual(await serversOf(saved.service));
  const { rows } = await target.client.query<{ id: string }>(
    "select sealed_id as id from servers where name = 'secretive'",
  );
  const { vault, db, blobs } = service.running.services;
  expect(await vault.open(db, rows[0]?.id ?? '')).toMatchObject({ headers: { A: 'tell-nobody' } });
  expect(Buffer.concat(await blobs.read(saved.blob.id).toArray())).toEqual(saved.blob.bytes);
  const added = { name: 'new', url: 'https://e.com' };
  expect((await service.post(`/projects/${saved.project}/servers`, added, { key })).status).toBe(201);
});

test('blobs come from files into an object store, and back', { tags: ['long'] }, async () => {
  for (const [name, value] of Object.entries(bucketCredentials)) vi.stubEnv(name, value);
  const bucket = await startBucket();
  onTestFinished(async () => {
    await bucket.stop();
    vi.unstubAllEnvs();
  });
  const target = await emptyTarget();
  const blobs = openBlobs({ blobsUrl: bucket.url, dataDir: '/nowhere' });
  const inBucket = { ...target.installation, blobs };
  await shareKey(saved, target);
  expect(await restoreBackup(inBucket, saved.archive)).toMatchObject({ blobs: 2, warnings: [] });
  expect(Buffer.concat(await blobs.read(saved.blob.id).toArray())).toEqual(saved.blob.bytes);
  const archive = fileIn(saved.folder);
  await writeBackup(inBucket, archive);
  const again = await emptyTarget();
  await shareKey(saved, again);
  expect(await restoreBackup(again.installation, archive)).toMatchObject({ blobs: 2, warnings: [] });
  const stored = again.installation.blobs.read(saved.blob.id);
  expect(Buffer.concat(await stored.toArray())).toEqual(saved.blob.bytes);
});

test('a backup of what was restored is the same', async () => {
  const target = await emptyTarget();
  await restoreBackup(target.installation, saved.archive);
  const file = fileIn(saved.folder);
  await writeBackup(target.installation, file);
  const bodies = async (path: string) => {
    const entries = [...entriesOf(gunzipSync(await readFile(path)))];
    return entries.filter(([name]) => name !== 'manifest.json').map(([name, { body }]) => [name, body]);
  };
  expect(await bodies(file)).toEqual(await bodies(saved.archive));
});

test('a backup holds one moment, however much is written meanwhile', async () => {
  const busy = await savedService();
  onTestFinished(() => busy.dispose());
  const writer = await busy.service.database.connect();
  onTestFinished(() => writer.end());
  const { rows: organizations } = await writer.query<{ id: string }>('select id from organizations');
  // A large table that is read between projects and servers leaves time for writes between the two.
  await writer.query(
    `insert into sealed_values (id, key_id, organization_id, ciphertext)
     select 'filler_' || n, (select id from vault_keys), $1, decode(repeat(md5(n::text), 10), 'hex')
     from generate_series(1, 30000) n`,
    [organizations[0]?.id],
  );
  const saving = new AbortController();
  const write = async (): Promise<number> => {
    let count = 0;
    for (; !saving.signal.aborted; count++) {
      const id = newId('prj');
      await writer.query('begin');
      await writer.query(
        "insert into projects (id, organization_id, name, visibility) values ($1, $2, 'Live', 'public')",
        [id, organizations[0]?.id],
      );
      for (let n = 0; n < 10; n++)
        await writer.query(
          `insert into servers (id, project_id, name, name_key, enabled, transport_type, settings)
           values ($1, $2, $3, $3, true, 'http', '{}')`,
          [newId('srv'), id, `server ${n}`],
        );
      await writer.query('commit');
    }
    return count;
  };
  const writing = write();
  const file = fileIn(saved.folder);
  const counts = await writeBackup(busy.installation, file).finally(() => saving.abort());
  const written = await writing;
  const target = await emptyTarget();
  expect(await restoreBackup(target.installation, file)).toMatchObject(counts);
  const { rows } = await target.client.query<{ servers: number }>(
    `select (select count(*)::int from servers s where s.project_id = p.id) as servers
     from projects p where name = 'Live'`,
  );
  expect(rows.filter((row) => row.servers !== 10)).toEqual([]);
  expect(written).toBeGreaterThan(rows.length);
});

const circle = {
  name: '9001-circle',
  sql: `create table eggs (id bigint generated always as identity primary key, hen bigint, note text,
      length int generated always as (length(note)) stored);
    create table hens (id bigserial primary key, egg bigint references eggs, mother bigint references hens);
    alter table eggs add constraint eggs_hen foreign key (hen) references hens;
    create function lay() returns trigger language plpgsql as $$
      begin insert into eggs (note) values ('laid'); return new; end $$;
    create trigger lays after insert on hens for each row execute function lay();`,
};
const later = {
  name: '9002-later',
  sql: "update eggs set note = note || '!'; alter table eggs add fresh boolean; select pg_sleep(1.1)",
};

test('an older backup is brought up to date, by no superuser, with circles, sequences and triggers', {
  tags: ['long'],
}, async () => {
  const from = await emptyTarget();
  await migrate(from.client, [...migrations, circle]);
  await from.client.query('insert into hens (mother) values (1), (3), (3)');
  await from.client.query("insert into eggs (hen, note) values (1, 'e'); update hens set egg = 4");
  await from.client.query("insert into plans (name, limits, features) values ('team', '{}', '{}')");
  const file = fileIn(saved.folder);
  await writeBackup(from.installation, file);

  const role = `plain_${newId('r')}`;
  const admin = await saved.service.database.connect();
  await admin.query(`create role ${role} login`);
  // A timeout that an operator may set for every client. The later migration takes longer.
  await admin.query(
    `alter role ${role} set statement_timeout = '1s'; alter role ${role} set datestyle = 'German'`,
  );
  onTestFinished(async () => {
    await admin.query(`drop role ${role}`);
    await admin.end();
  });
  const { client, database, installation } = await emptyTarget();
  await client.query(
    `do $$ begin execute format('alter database %I owner to ${role}', current_database()); end $$`,
  );
  const known = [...migrations, circle, later];
  const databaseUrl = database.url.replace(/\/\/\w+@/, `//${role}@`);
  await restoreBackup(installationOf({ ...installation.config, databaseUrl }), file, { known });
  const eggs = await client.query('select id, hen, note, length, fresh from eggs order by id');
  expect(eggs.rowCount).toBe(4);
  expect(eggs.rows[3]).toEqual({ id: '4', hen: '1', note: 'e!', length: 2, fresh: null });
  expect((await client.query('select from plans')).rowCount).toBe(2);
  await client.query('insert into hens default values');
  const next = await client.query('select max(id) as id from hens union all select max(id) from eggs');
  expect(next.rows).toEqual([{ id: '4' }, { id: '5' }]);
  await expect(client.query('update eggs set hen = 99')).rejects.toThrow('eggs_hen');
  const lax = await client.query("select 1 from pg_constraint where contype = 'f' and condeferrable");
  expect(lax.rowCount).toBe(0);

  const ahead = await emptyTarget();
  await migrate(ahead.client, known);
  await expect(restoreBackup(ahead.installation, file, { known })).rejects.toThrow(
    /later version.+9002-later/,
  );
});

test('tables of others in the schema come along but are not restored', async () => {
  const from = await emptyTarget();
  await migrate(from.client);
  await from.client.query('create table notes (note text); insert into notes values (1)');
  const file = fileIn(saved.folder);
  await writeBackup(from.installation, file);
  const { warnings } = await restoreBackup((await emptyTarget()).installation, file);
  expect(warnings).toEqual(['Tables skipped because this version of Drydock does not have them: notes']);
});

test('the master key comes along only when asked for', async () => {
  const original = keysFromFile(join(saved.installation.config.dataDir, 'master.key')).read();
  const file = fileIn(saved.folder);
  await writeBackup(saved.installation, file, { withMasterKey: true });
  const target = await emptyTarget();
  const dataDir = join(target.dataDir, 'new');
  const keyFile = join(dataDir, 'master.key');
  const installation = installationOf({ ...target.installation.config, dataDir });
  expect((await restoreBackup(installation, file)).warnings).toEqual([]);
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  expect(keysFromFile(keyFile).read()).toEqual(original);
  await startOn({ ...target, dataDir });

  const keyless = await emptyTarget();
  const { warnings } = await restoreBackup(keyless.installation, saved.archive);
  expect(warnings).toEqual([
    `The stored secrets need master key ${original[0].id}. Before starting the service, write it to ${join(keyless.dataDir, 'master.key')} or set DRYDOCK_MASTER_KEY`,
  ]);
  await expect(startOn(keyless)).rejects.toThrow('Put the file back');
  await shareKey(saved, keyless);
  await startOn(keyless);
});

test('however much there is, memory stays bounded', { tags: ['long'] }, async () => {
  const from = await emptyTarget();
  await migrate(from.client);
  await fill(from.client, 200_000, 10);
  const target = await emptyTarget();
  const file = fileIn(saved.folder);
  const start = process.memoryUsage().rss;
  let peak = start;
  let passed = 0;
  const progress = (_: string, bytes: number): void => {
    peak = Math.max(peak, process.memoryUsage().rss);
    passed = bytes;
  };
  await writeBackup(from.installation, file, { progress });
  const { rows } = await restoreBackup(target.installation, file, { progress });
  expect(rows).toBe(200_001);
  expect(passed).toBeGreaterThan(75e6);
  expect((peak - start) / 1e6).toBeLessThan(60);
});

test('the commands say what they did in one line, and why not in another', async () => {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  onTestFinished(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });
  const run = async (config: Config, ...args: string[]) => {
    written.stdout = written.stderr = '';
    process.exitCode = undefined;
    const host: Pick<Host, 'load' | 'backup' | 'restore'> = {
      load: async () => ({ config, sources: {} as LoadedConfig['sources'], unknown: [] }),
      backup: (given, file, options) => writeBackup(installationOf(given), file, options),
      restore: (given, file, attention) => restoreBackup(installationOf(given), file, attention),
    };
    // Members that only other commands use are left out.
    await runCli(['node', 'drydock', ...args], host as Host);
    return { ...written, code: process.exitCode };
  };
  const { config } = saved.installation;
  const file = fileIn(saved.folder);
  const made = await run(config, 'backup', file);
  expect(made).toMatchObject({ code: undefined, stderr: '' });
  expect(made.stdout).toMatch(
    /^The master key \(\S+master\.key\) is not included\. Keep it separately: .+\nSaved \d+ tables, \d+ rows and 2 blobs in \S+ \(3\d\d\.\d kB\)\.\n$/,
  );
  expect(await run(config, 'backup', file)).toEqual({
    code: 2,
    stdout: '',
    stderr: `drydock: ${file} exists. Name another file, or add --force\n`,
  });
  const secret = await run(config, 'backup', file, '--force', '--with-master-key');
  expect(secret.stdout).toContain('keep it as secret as the key itself');
  const { installation } = await emptyTarget();
  const restored = await run(installation.config, 'restore', file);
  expect(restored).toMatchObject({ code: undefined, stderr: '' });
  expect(restored.stdout).toMatch(
    /^Restored \d+ tables, \d+ rows and 2 blobs from \S+ \(3\d\d\.\d kB, created .+ by Drydock .+\)\.\n$/,
  );
  const again = await run(installation.config, 'restore', file);
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toMatch(/^drydock: The database already contains organizations[^\n]+\n$/);
});
