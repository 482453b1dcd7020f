// @module-tag long
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Found } from '../src/domain/operator/doctor/check.ts';
import { runChecks } from '../src/domain/operator/doctor/check.ts';
import { examineInstallation } from '../src/domain/operator/doctor/examine.ts';
import { runsAsRoot } from '../src/platform/accounts.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { byId, partOf, startOfMonth } from '../src/platform/database/partitions.ts';
import { createLog } from '../src/platform/log.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';
import { startPooler } from './support/pooler.ts';
import { place } from './support/process.ts';
import { programs } from './support/programs.ts';

const password = 'password-tell-nobody';
let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'drydock-doctor-'));
});
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** The findings with these settings, by check name. */
async function examine(env: Record<string, string> = {}): Promise<Record<string, Found>> {
  const { config, unknown } = loadConfig({
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_BROWSER: 'off',
    ...env,
  });
  const found = await examineInstallation({ config, unknown, log: createLog('silent') });
  return Object.fromEntries(found.map((each) => [each.check, each]));
}

test('beside a running service all is looked at, told to people and to programs, and left as it was', async () => {
  const home = await place();
  await home.serve();
  const files = async () =>
    (await readdir(home.dataDir, { recursive: true })).filter((name) => !name.startsWith('postgres/'));
  const before = await files();
  const audit = (await home.run(['audit'])).stdout;
  const { code, stdout } = await home.run(['doctor', '--json'], { DRYDOCK_BROWSER: 'off' });
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Found[] };
  expect([code, ok]).toEqual([0, true]);
  expect(checks.filter(({ level, check }) => level !== 'ok' && check !== 'commands')).toEqual([]);
  const said = Object.fromEntries(checks.map(({ check, message }) => [check, message]));
  expect(said).toMatchObject({
    database: expect.stringMatching(/^PostgreSQL 18\S*, embedded, connected in \d+ ms/),
    migrations: 'The schema is up to date',
    'master key': expect.stringContaining('decrypts the secrets in the database'),
    workers: expect.stringContaining('1 service seen'),
    browser: 'Off (DRYDOCK_BROWSER)',
  });
  expect(await files()).toEqual(before);
  expect((await home.run(['audit'])).stdout).toBe(audit);

  const shown = await home.run(['doctor', '--strict'], { DRYDOCK_BROWSER: 'off', DRYDOCK_PORTT: '1' });
  expect(shown.code).toBe(1);
  expect(shown.stdout).toMatch(
    /^warning {2}settings +DRYDOCK_PORTT: no such setting\n +→ See drydock config/,
  );
  expect(shown.stdout).toMatch(/\n0 problems, [12] warnings, \d+ ok\n$/);
  expect((await home.run(['doctor'], { DRYDOCK_PORT: 'x' })).code).toBe(2);
});

test('a month without room is a problem, the coming one a warning', async () => {
  const other = await createDatabase();
  onTestFinished(() => other.drop());
  const months = async () => (await examine({ DRYDOCK_DATABASE_URL: other.url }))['months'];
  expect(await months()).toMatchObject({ level: 'ok' });
  const client = await other.connect();
  onTestFinished(() => client.end());
  await client.query('drop table audit_events_before');
  const problem = { level: 'problem', message: expect.stringContaining('this month in audit_events:') };
  expect(await months()).toMatchObject(problem);
  for (const statement of partOf(byId('audit_events', 'aud'), startOfMonth(Date.now())))
    await client.query(statement);
  expect(await months()).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('audit_events'),
  });
});

test('what is said of the database is true behind a pooler, and of one without tables', async () => {
  const empty = await createDatabase({ empty: true });
  onTestFinished(() => empty.drop());
  const pooled = { DRYDOCK_DATABASE_URL: await startPooler(database.url) };
  // Twice, since the second one meets what the first one has left.
  for (const found of [await examine(pooled), await examine(pooled)])
    expect(found['database']).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/^PostgreSQL \S+, behind a pooler/),
    });
  expect(await examine({ DRYDOCK_DATABASE_URL: empty.url })).toMatchObject({
    database: { level: 'ok', message: expect.stringContaining(', direct,') },
    migrations: { level: 'warning', message: expect.stringContaining('starting with 0001-foundation') },
    workers: { level: 'warning', message: 'Not checked: the database lacks tables' },
    'master key': { level: 'ok' },
  });
});

test('a database that is away, hangs or does not fit spoils no other check', async () => {
  // Takes connections and says nothing.
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const from = performance.now();
  const answers = await Promise.all(
    ['127.0.0.1:9', `127.0.0.1:${port}`].map((at) =>
      examine({ DRYDOCK_DATABASE_URL: `postgres://drydock:${password}@${at}/drydock` }),
    ),
  );
  expect(performance.now() - from).toBeLessThan(30_000);
  for (const found of answers) {
    expect(found).toMatchObject({
      database: { level: 'problem', remedy: expect.stringContaining('DRYDOCK_DATABASE_URL') },
      migrations: { level: 'warning', message: 'Not checked: the database does not answer' },
      disk: { level: 'ok' },
      models: { level: 'ok' },
    });
    expect(JSON.stringify(found)).not.toContain(password);
  }
  const client = await database.connect();
  onTestFinished(() => client.end());
  await client.query("delete from schema_migrations where name > '0020'");
  expect(await examine()).toMatchObject({
    migrations: {
      level: 'warning',
      message: expect.stringMatching(/^\d+ pending, starting with 0020-tunnels/),
    },
  });
  await client.query("update schema_migrations set checksum = 'another' where name < '0002'");
  expect(await examine()).toMatchObject({ migrations: { level: 'problem' } });
});

describe('each setting that will hurt is named', () => {
  const key = 'ab'.repeat(32);
  const exposed = { DRYDOCK_HOST: '0.0.0.0' };
  const cases: [string, Record<string, string>, Partial<Found>][] = [
    ['exposure', {}, { level: 'ok' }],
    ['exposure', { ...exposed, DRYDOCK_ALLOW_STDIO: 'true' }, { level: 'warning' }],
    ['exposure', { ...exposed, DRYDOCK_RATE_LIMIT: 'off' }, { level: 'warning' }],
    ['public URL', exposed, { level: 'warning' }],
    ['public URL', { DRYDOCK_SMTP_URL: 'smtp://127.0.0.1:1' }, { level: 'problem' }],
    ['public URL', { DRYDOCK_PUBLIC_URL: 'http://drydock.example.com' }, { level: 'problem' }],
    ['public URL', { DRYDOCK_PUBLIC_URL: 'https://drydock.example.com' }, { level: 'warning' }],
    [
      'public URL',
      { DRYDOCK_PUBLIC_URL: 'https://drydock.example.com', DRYDOCK_TRUSTED_PROXIES: '10.0.0.0/8' },
      { level: 'ok' },
    ],
    ['commands', exposed, { level: 'ok', message: 'Stdio servers are refused: no commands are run' }],
    [
      'commands',
      { DRYDOCK_ALLOW_STDIO: 'true', ...(runsAsRoot() && { DRYDOCK_COMMAND_USER: 'nobody' }) },
      programs.bubblewrap.there
        ? { level: 'ok' }
        : { level: 'warning', remedy: expect.stringMatching(/bubblewrap|namespaces/) },
    ],
    ['blobs', { DRYDOCK_BLOBS_URL: 'file:///proc/version' }, { level: 'problem' }],
    ['blobs', { DRYDOCK_BLOBS_URL: `file://${tmpdir()}` }, { level: 'ok' }],
    ['models', { DRYDOCK_MODELS_FILE: '/nonexistent.json' }, { level: 'problem' }],
    ['browser', { DRYDOCK_BROWSER: '/bin/false' }, { level: 'problem' }],
    ['master key', { DRYDOCK_MASTER_KEY: key }, { level: 'ok' }],
    ['master key', { DRYDOCK_MASTER_KEY: `${key},${'cd'.repeat(32)}` }, { level: 'warning' }],
    ['connections', { DRYDOCK_DATABASE_POOL: '200' }, { level: 'warning' }],
  ];
  test.each(cases)('%s %j', async (check, env, finding) => {
    const found = await examine(env);
    expect(found[check]).toMatchObject(finding);
    // Every warning and problem has a remedy.
    expect(
      Object.values(found).filter((each) => (each.level === 'ok') === (each.remedy !== undefined)),
    ).toEqual([]);
    expect(JSON.stringify(found)).not.toContain(key);
  });
});

test('a master key that is open to others, or is not the one that sealed, is a problem', async () => {
  const path = join(dataDir, 'master.key');
  await writeFile(path, 'ab'.repeat(32));
  await chmod(path, 0o644);
  onTestFinished(() => rm(path));
  expect((await examine())['master key']).toMatchObject({
    level: 'problem',
    message: expect.stringContaining('chmod 600'),
  });
  await chmod(path, 0o600);
  const client = await database.connect();
  onTestFinished(() => client.end());
  await client.query("insert into vault_keys (id) values ('ffffffffffffffff')");
  expect((await examine())['master key']).toMatchObject({
    level: 'problem',
    message: expect.stringContaining('does not match'),
  });
});

test('a check that hangs is ended, one that throws is told without its secrets', async () => {
  const found = await runChecks([
    { name: 'hangs', within: 50, run: () => new Promise(() => {}) },
    { name: 'throws', run: () => Promise.reject(new Error(`no postgres://me:${password}@host/x`)) },
    { name: 'works', run: async () => ({ level: 'ok', message: 'fine' }) },
  ]);
  expect(found.map(({ check, level }) => `${check} ${level}`)).toEqual([
    'hangs problem',
    'throws problem',
    'works ok',
  ]);
  expect(JSON.stringify(found)).not.toContain(password);
});
