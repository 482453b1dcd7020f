// @module-tag long
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { migrations } from '../src/platform/database/migrations/index.ts';
import type { UpgradeReport } from '../src/platform/upgrade/check.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';
import { Drydock, type Outcome, place } from './support/process.ts';

/** The report of `drydock upgrade --check` for databases in every state; it changes none of them. */

const last = migrations.at(-1)?.name as string;
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  return () => database.drop();
});

const check = (url: string, ...args: string[]): Promise<Outcome> =>
  new Drydock(['upgrade', '--check', ...args], { DRYDOCK_DATABASE_URL: url }).outcome();

async function reportOf(url: string): Promise<{ code: number | null; report: UpgradeReport }> {
  const { code, stdout } = await check(url, '--json');
  return { code, report: JSON.parse(stdout) as UpgradeReport };
}

/** The history as somebody else left it, while `look` looks. */
async function withHistory<T>(sql: string, look: () => Promise<T>): Promise<T> {
  const client = await database.connect();
  const history = async (): Promise<unknown[]> =>
    (await client.query('select name, checksum from schema_migrations order by name')).rows;
  await client.query('create table kept as select * from schema_migrations');
  try {
    await client.query(sql);
    const before = await history();
    const seen = await look();
    expect(await history()).toEqual(before);
    return seen;
  } finally {
    await client.query(
      'truncate schema_migrations; insert into schema_migrations select * from kept; drop table kept',
    );
    await client.end();
  }
}

test('a database that is up to date needs nothing', async () => {
  const { code, stdout } = await check(database.url);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') });
});

test('what would be run is named and not run, a backup advised, and those who still use the database noticed', async () => {
  const behind = (version: string, first = last) => `delete from schema_migrations where name >= '${first}';
    insert into replicas (id, version) values ('older', '${version}')
      on conflict (id) do update set seen_at = now(), version = '${version}';`;
  const { code, report } = await withHistory(behind('0.1.0'), () => reportOf(database.url));
  expect({ code, ...report }).toMatchObject({
    code: 0,
    outcome: 'ready',
    database: { kind: 'external', postgres: expect.stringMatching(/^\d+/), bytes: expect.any(Number) },
    migrations: { applied: migrations.length - 1, pending: [last] },
    inUse: { services: 1, workers: 0, versions: ['0.1.0'], browserHolders: 0 },
    backupAdvised: true,
    warnings: [],
    problems: [],
  });
  const { name: contracting = '' } = migrations.find(({ contracts }) => contracts === '0.1.0') ?? {};
  const tooOld = await withHistory(behind('0.0.9', contracting), () => reportOf(database.url));
  expect(tooOld.report.warnings).toEqual([
    `Other processes use the database (0.0.9). Stop those before 0.1.0: ${contracting} removes what they use`,
  ]);
});

test.each([
  [
    'a newer one took something away from',
    "insert into schema_migrations (name, checksum, contracts) values ('9999-later', 'x', '9.9.0')",
    /newer Drydock \(migration 9999-later\). Start version 9.9.0/,
  ],
  [
    'another one wrote',
    `update schema_migrations set checksum = 'x' where name = '${last}'`,
    /does not match this Drydock/,
  ],
])('a database that %s is refused, before a start would', async (_name, sql, expected) => {
  const { code, report } = await withHistory(sql, () => reportOf(database.url));
  expect({ code, outcome: report.outcome, pending: report.migrations.pending }).toEqual({
    code: 1,
    outcome: 'blocked',
    pending: [],
  });
  expect(report.problems).toEqual([expect.stringMatching(expected)]);
});

test('a database that a newer one only added to is used beside it', async () => {
  const added = "insert into schema_migrations (name, checksum) values ('9999-later', 'x')";
  const { code, report } = await withHistory(added, () => reportOf(database.url));
  expect({ code, outcome: report.outcome, ahead: report.migrations.ahead }).toEqual({
    code: 0,
    outcome: 'current',
    ahead: ['9999-later'],
  });
});

test('nobody who answers is said, without the password', async () => {
  const { code, stdout, stderr } = await check('postgres://drydock:swordfish@127.0.0.1:1/drydock');
  expect(code).toBe(4);
  expect(stdout).toContain('Cannot connect to the database');
  expect(stdout + stderr).not.toContain('swordfish');
});

test('an embedded database is looked at, and none is made where there is none', async () => {
  const home = await place();
  const none = { DRYDOCK_DATA_DIR: join(home.dataDir, 'none') };
  expect(await home.run(['upgrade', '--check'], none)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The first start creates it'),
  });
  expect(existsSync(none.DRYDOCK_DATA_DIR)).toBe(false);
  const service = await home.serve();
  onTestFinished(() => void service.child.kill('SIGKILL'));
  const { code, stdout } = await home.run(['upgrade', '--check', '--json']);
  expect({ code, ...(JSON.parse(stdout) as UpgradeReport) }).toMatchObject({
    code: 0,
    outcome: 'current',
    database: { kind: 'embedded' },
    inUse: { services: 1 },
    freeBytes: expect.any(Number),
  });
  expect((await service.end()).code).toBe(0);
});
