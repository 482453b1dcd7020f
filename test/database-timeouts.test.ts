// @module-tag long
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/platform/config/load.ts';
import { flag, float, text } from '../src/platform/database/columns.ts';
import { type ConnectedDatabase, connectDatabase } from '../src/platform/database/connect.ts';
import type { Timeouts } from '../src/platform/database/connection-mode.ts';
import { type Db } from '../src/platform/database/database.ts';
import { createLog } from '../src/platform/log.ts';
import { createDatabase } from './support/database.ts';
import { startPooler } from './support/pooler.ts';
import { startForTest } from './support/service.ts';
import { statement } from './support/statement.ts';

const usual = { statement: '30s', idle: '20s' };
const none = { statement: '0', idle: '0' };
const brief: Timeouts = { statement: 300, idleInTransaction: 300 };

const settings = statement(
  'test.timeouts',
  `select current_setting('statement_timeout') as statement,
     current_setting('idle_in_transaction_session_timeout') as idle`,
  { statement: text, idle: text },
);
const sleep = statement('test.sleep', 'select pg_sleep(20)');
const broken = statement('test.broken', 'select 1 / 0');
const idleSessions = statement(
  'test.idle-sessions',
  "select count(*) as count from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
  { count: float },
);
const ready = statement('test.ready', 'select true as yes', { yes: flag });

async function connectTo(
  through: (url: string) => Promise<string>,
  timeouts?: Timeouts,
): Promise<ConnectedDatabase> {
  const database = await createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'drydock-'));
  const { config } = loadConfig({
    DRYDOCK_DATABASE_URL: await through(database.url),
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_DATABASE_POOL: '2',
  });
  const connected = await connectDatabase(
    config,
    { exclusive: true, ...(timeouts && { timeouts }) },
    createLog('silent'),
  );
  onTestFinished(async () => {
    await connected.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return connected;
}

const direct = async (url: string): Promise<string> => url;
const pooled = (url: string): Promise<string> => startPooler(url);
const lenient = (url: string): Promise<string> => startPooler(url, { refuses: false });

const within = (db: Db) => db.transaction((trx) => trx.row(settings));

test('statements and idle transactions have a limit; connections for long work have none', async () => {
  const { database, dial } = await connectTo(direct);
  expect(await database.row(settings)).toEqual(usual);
  expect(await within(database)).toEqual(usual);
  const client = await dial();
  const { rows } = await client.query(settings.text);
  await client.end();
  expect(rows).toEqual([none]);
});

test.each([
  ['refuses startup parameters', pooled],
  ['ignores startup parameters', lenient],
])(
  'behind a pooler that %s each transaction sets its own limits and leaves none behind',
  async (_, through) => {
    const { database, dial } = await connectTo(through);
    expect(await within(database)).toEqual(usual);
    for (let i = 0; i < 3; i++) expect(await database.row(settings)).toEqual(none);
    await expect(database.transaction((trx) => trx.row(broken))).rejects.toThrow('division by zero');
    expect(await database.row(settings)).toEqual(none);
    const client = await dial();
    expect((await client.query(settings.text)).rows).toEqual([none]);
    await client.end();
  },
);

test.each([
  ['the database itself', direct],
  ['a pooler', pooled],
])(
  'through %s a slow statement ends with its name, and an idle transaction with its connection',
  async (_, through) => {
    const { database } = await connectTo(through, brief);
    await expect(database.transaction((trx) => trx.row(sleep))).rejects.toMatchObject({
      code: '57014',
      message: 'The statement test.sleep was cancelled: canceling statement due to statement timeout',
    });
    const idle = database.transaction(async (trx) => {
      await trx.row(ready);
      await expect.poll(() => database.row(idleSessions)).toEqual({ count: 0 });
      return trx.row(ready);
    });
    await expect(idle).rejects.toThrow();
    for (let i = 0; i < 4; i++) expect(await database.row(ready)).toEqual({ yes: true });
  },
);

test.each([
  ['the database itself', direct],
  ['a pooler', pooled],
])('through %s a slow statement outside of a transaction ends too', async (_, through) => {
  const { database } = await connectTo(through, brief);
  await expect(database.row(sleep)).rejects.toThrow('The statement test.sleep was cancelled');
  expect(await database.row(ready)).toEqual({ yes: true });
});

test('a request that waits too long for a row is answered and logged, and the next one is served', async () => {
  const service = await startForTest({ timeouts: brief });
  const project = await service.defaultProject();
  const holder = await service.database.connect();
  await holder.query('begin');
  await holder.query('select 1 from projects where id = $1 for update', [project]);
  const refused = await service.patch(`/projects/${project}`, { name: 'Other' });
  expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  expect(refused.headers.get('retry-after')).toBe('2');
  const logged = service.logs.filter((line) => line.includes(refused.headers.get('x-request-id') ?? ''));
  expect(logged.join('')).toMatch(
    /The statement [\w.-]+ was cancelled: canceling statement due to statement timeout/,
  );
  await holder.query('rollback');
  await holder.end();
  expect((await service.patch(`/projects/${project}`, { name: 'Other' })).status).toBe(200);
});
