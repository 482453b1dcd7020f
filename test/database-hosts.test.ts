// @module-tag long
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/platform/config/load.ts';
import { flag, integer, text } from '../src/platform/database/columns.ts';
import { type ConnectedDatabase, connectDatabase } from '../src/platform/database/connect.ts';
import type { Timeouts } from '../src/platform/database/connection-mode.ts';
import { hostUrls } from '../src/platform/database/hosts.ts';
import { Notifications } from '../src/platform/database/notifications.ts';
import { createLog } from '../src/platform/log.ts';
import { startPgBouncer } from './support/pgbouncer.ts';
import { type Nodes, startNodes } from './support/postgres-nodes.ts';
import { statement } from './support/statement.ts';

const timeouts: Timeouts = { statement: 30_000, idleInTransaction: 60_000, away: 20_000, confirmation: 500 };

let nodes: Nodes;
beforeAll(async () => {
  nodes = await freshNodes();
});
afterAll(() => nodes.end());

async function freshNodes(): Promise<Nodes> {
  const started = await startNodes();
  await started.primary.ask('create table notes (id text primary key, by_process integer not null)');
  return started;
}

async function open(env: Record<string, string>): Promise<ConnectedDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drydock-'));
  const { config } = loadConfig({ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_DATABASE_POOL: '6', ...env });
  const connected = await connectDatabase(
    config,
    { exclusive: true, migrate: false, timeouts },
    createLog('silent'),
  );
  onTestFinished(async () => {
    await connected.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return connected;
}

const add = statement('test.add', 'insert into notes (id, by_process) values (:id, pg_backend_pid())');
const has = statement('test.has', 'select exists (select from notes where id = :id) as there', {
  there: flag,
});
const backend = statement('test.backend', 'select pg_backend_pid() as id', { id: integer });
const announce = statement('test.announce', "select pg_notify('moved', 'here') is null as quiet", {
  quiet: flag,
});
const host = statement('test.host', "select current_setting('port') as port", { port: text });

/** Concurrent writers, each of which repeats a transaction that reads and writes until stopped. */
function writers({ database }: ConnectedDatabase, count: number) {
  const written: string[] = [];
  const failed: unknown[] = [];
  const times: number[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const write = async (id: string): Promise<void> => {
    try {
      await database.transaction(async (db) => {
        await db.row(has, { id });
        db.provenBy({ query: has, values: { id } });
        await db.run(add, { id });
      });
      written.push(id);
      times.push(performance.now());
    } catch (error) {
      failed.push(error);
    }
  };
  const work = Array.from({ length: count }, async (_, writer) => {
    for (let n = 0; !over.signal.aborted; n++) await write(`${writer}-${n}-${Math.random()}`);
  });
  const stop = async () => {
    over.abort();
    await Promise.all(work);
  };
  return { written, failed, times, stop };
}

/** The written IDs that are not stored. */
async function missing(written: string[]): Promise<string[]> {
  const there = new Set(
    (await nodes.primary.ask<{ id: string }>('select id from notes')).map(({ id }) => id),
  );
  return written.filter((id) => !there.has(id));
}

test.each([
  ['one host', 'postgres://u:p@one:5432/db?sslmode=disable', ['postgres://u:p@one:5432/db?sslmode=disable']],
  [
    'several hosts',
    'postgresql://u:p%40@one:1,two:2,[::1]:3/db?target_session_attrs=read-write&sslmode=require',
    [
      'postgresql://u:p%40@one:1/db?sslmode=require',
      'postgresql://u:p%40@two:2/db?sslmode=require',
      'postgresql://u:p%40@[::1]:3/db?sslmode=require',
    ],
  ],
])('%s', (_, url, urls) => expect(hostUrls(url)).toEqual(urls));

test.each([
  ['mysql://u@one/db', 'Write it as postgres://'],
  ['postgres://u@one,two/db?host=/run', 'not both'],
  ['postgres://u@one:port/db', 'cannot be read'],
  ['postgres://u@one/db?target_session_attrs=standby', 'only be primary'],
])('%s is refused', (url, words) => {
  expect(() => loadConfig({ DRYDOCK_DATABASE_URL: url })).toThrow(words);
});

test('a restart of the database fails nobody, and a commit whose answer was lost is done once', async () => {
  const connected = await open({ DRYDOCK_DATABASE_URL: nodes.primary.url() });
  const { written, failed, stop } = writers(connected, 6);
  for (const signal of ['SIGINT', 'SIGKILL', 'SIGKILL'] as const) {
    await expect.poll(() => written.length).toBeGreaterThan(50);
    await nodes.primary.stop(signal);
    await nodes.primary.start();
    const before = written.length;
    await expect.poll(() => written.length).toBeGreaterThan(before + 50);
  }
  await stop();
  expect(failed).toEqual([]);
  expect(await missing(written)).toEqual([]);
});

describe('PgBouncer in transaction mode', { tags: ['pgbouncer'] }, () => {
  const pooled = () =>
    startPgBouncer({ port: nodes.primary.port, database: 'drydock', user: 'drydock' }).then((pooler) => {
      onTestFinished(() => pooler.end());
      return pooler.url;
    });

  test('statements, transactions and sessions work, many at a time', async () => {
    const url = await pooled();
    const connected = await open({
      DRYDOCK_DATABASE_URL: url,
      DRYDOCK_DATABASE_DIRECT_URL: nodes.primary.url(),
      DRYDOCK_DATABASE_POOL: '20',
    });
    const { written, failed, stop } = writers(connected, 20);
    await expect.poll(() => written.length).toBeGreaterThan(400);
    const processes = await Promise.all(Array.from({ length: 40 }, () => connected.database.row(backend)));
    expect(new Set(processes.map((one) => one?.id)).size).toBeLessThanOrEqual(6);
    await stop();
    expect(failed).toEqual([]);
    expect(await missing(written)).toEqual([]);
  });

  test('without a way past it the start is refused with what to set', async () => {
    await expect(open({ DRYDOCK_DATABASE_URL: await pooled() })).rejects.toThrow(
      'Set DRYDOCK_DATABASE_DIRECT_URL',
    );
  });

  test('a restart of the database behind it fails nobody', async () => {
    const connected = await open({
      DRYDOCK_DATABASE_URL: await pooled(),
      DRYDOCK_DATABASE_DIRECT_URL: nodes.primary.url(),
    });
    const { written, failed, stop } = writers(connected, 6);
    await expect.poll(() => written.length).toBeGreaterThan(50);
    await nodes.primary.stop('SIGKILL');
    await nodes.primary.start();
    const before = written.length;
    await expect.poll(() => written.length).toBeGreaterThan(before + 50);
    await stop();
    expect(failed).toEqual([]);
    expect(await missing(written)).toEqual([]);
  });
});

describe('a synchronous standby', () => {
  test('that is missing is reported: writes are refused at once, reads go on, and it all resumes', async () => {
    await nodes.confirm(true);
    const { database } = await open({ DRYDOCK_DATABASE_URL: nodes.url });
    await nodes.standby.stop();
    await expect(database.transaction((db) => db.run(add, { id: 'late' }))).rejects.toThrow(
      'may still take effect when the standby is back',
    );
    const all = Array.from({ length: 30 }, (_, n) => database.run(add, { id: `refused-${n}` }));
    for (const one of await Promise.allSettled(all))
      expect(String((one as PromiseRejectedResult).reason)).toContain('Nothing was written');
    expect(await database.row(has, { id: 'refused-1' })).toEqual({ there: false });
    await nodes.standby.start();
    await expect.poll(() => database.run(add, { id: 'resumed' }).catch(() => 0)).toBe(1);
    expect(await database.row(has, { id: 'late' })).toEqual({ there: true });
    await nodes.confirm(true);
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'that is promoted after %s of the primary is found, and nothing confirmed is lost',
    async (signal) => {
      await nodes.end();
      nodes = await freshNodes();
      await nodes.confirm(true);
      const connected = await open({ DRYDOCK_DATABASE_URL: nodes.url });
      const { written, failed, times, stop } = writers(connected, 6);
      await expect.poll(() => written.length).toBeGreaterThan(200);
      nodes.primary.signal(signal);
      await delay(300);
      await nodes.standby.promote();
      const promoted = performance.now();
      const before = written.length;
      await expect.poll(() => written.length).toBeGreaterThan(before + 200);
      await stop();
      const first = times.find((at) => at > promoted) as number;
      // About 0.25 to 0.5 seconds on an idle machine.
      expect(first - promoted).toBeLessThan(5_000);
      expect(await connected.database.row(host)).toEqual({ port: String(nodes.standby.port) });
      expect(failed).toEqual([]);
      const there = await nodes.standby.ask<{ id: string }>('select id from notes');
      const ids = new Set(there.map(({ id }) => id));
      expect(written.filter((id) => !ids.has(id))).toEqual([]);
    },
  );

  test('that is promoted while the former primary lives on is used by everybody, those under way to it included', async () => {
    await nodes.end();
    nodes = await freshNodes();
    await nodes.confirm(false);
    const way = await slowWay(nodes.primary.port);
    const url = nodes.url.replace(`:${nodes.primary.port}`, `:${way.port}`);
    expect(url).not.toBe(nodes.url);
    const { database, dial } = await open({ DRYDOCK_DATABASE_URL: url });
    const notifications = new Notifications({ dial, log: createLog('silent') });
    await notifications.start();
    onTestFinished(() => notifications.stop());
    const heard: (string | undefined)[] = [];
    notifications.on('moved', (payload) => heard.push(payload));
    expect(await database.row(host)).toEqual({ port: String(nodes.primary.port) });
    // New connections take three seconds, and so arrive after the standby was promoted.
    way.wait = 3_000;
    const asked = Array.from({ length: 6 }, () => database.row(host));
    await nodes.standby.promote();
    const there = { port: String(nodes.standby.port) };
    await expect.poll(() => database.row(host)).toEqual(there);
    await Promise.all(asked);
    expect(way.opened).toBeGreaterThan(5);
    for (let round = 0; round < 5; round++)
      expect(await Promise.all(Array.from({ length: 6 }, () => database.row(host)))).toEqual(
        Array.from({ length: 6 }, () => there),
      );
    await expect.poll(async () => (await database.row(announce), heard.includes('here'))).toBe(true);
  });
});

/** A proxy to a server on this machine that delays each new connection. */
async function slowWay(target: number): Promise<{ port: number; wait: number; opened: number }> {
  const sockets = new Set<Socket>();
  const way = { port: 0, wait: 0, opened: 0 };
  const server = createServer((socket) => {
    const keep = (one: Socket): Socket => {
      sockets.add(one.on('error', () => {}).on('close', () => sockets.delete(one)));
      return one;
    };
    keep(socket);
    setTimeout(() => {
      way.opened++;
      const onward = keep(connect(target, '127.0.0.1'));
      socket.pipe(onward).pipe(socket);
    }, way.wait);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  way.port = (server.address() as AddressInfo).port;
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return way;
}
