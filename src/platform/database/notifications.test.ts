import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { silent, until } from '../../../test/support/jobs.ts';
import { Notifications } from './notifications.ts';

async function open(): Promise<{ database: TestDatabase; client: pg.Client }> {
  const database = await createDatabase({ empty: true });
  const client = await database.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  return { database, client };
}

async function start(dial: () => Promise<pg.Client>, checkEvery?: number): Promise<Notifications> {
  const notifications = new Notifications({ dial, log: silent, ...(checkEvery && { checkEvery }) });
  onTestFinished(() => notifications.stop());
  await notifications.start();
  return notifications;
}

/** Records the payloads of a handler, with a dash for undefined. */
function listener() {
  const heard: string[] = [];
  return { heard, handler: (payload?: string) => void heard.push(payload ?? '-') };
}

const notify = (client: pg.Client, channel: string, payload: string) =>
  client.query('select pg_notify($1, $2)', [channel, payload]);

const listeners = async (client: pg.Client) =>
  (
    await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and query ilike 'listen%'",
    )
  ).rows.map(({ pid }) => pid);

test('each handler hears its channel over one connection, until it is taken off', async () => {
  const { database, client } = await open();
  const notifications = await start(() => database.connect());
  const [one, two, other] = [listener(), listener(), listener()];
  const off = notifications.on('a', one.handler);
  notifications.on('a', two.handler);
  notifications.on('b "quoted"', other.handler);
  // Each handler is called once when listening begins, because earlier notifications may have been missed.
  await until(() => [one, two, other].every(({ heard }) => heard.length === 1));
  await notify(client, 'a', '1');
  await notify(client, 'b "quoted"', '2');
  await until(() => other.heard.length === 2 && two.heard.length === 2);
  off();
  off();
  await notify(client, 'a', '3');
  await until(() => two.heard.length === 3);
  expect([one.heard, two.heard, other.heard]).toEqual([
    ['-', '1'],
    ['-', '1', '3'],
    ['-', '2'],
  ]);
  expect(await listeners(client)).toHaveLength(1);
});

test('handlers put on before the start are listening when it returns, and one that throws harms no other', async () => {
  const { database, client } = await open();
  const notifications = new Notifications({ dial: () => database.connect(), log: silent });
  onTestFinished(() => notifications.stop());
  const { heard, handler } = listener();
  notifications.on('a', () => {
    throw new Error('no');
  });
  notifications.on('a', handler);
  await notifications.start();
  await notify(client, 'a', '1');
  await until(() => heard.length === 2);
  expect(heard).toEqual(['-', '1']);
});

test('after the connection was lost it comes back, and every handler is called once without a payload', async () => {
  const { database, client } = await open();
  let dials = 0;
  const notifications = await start(async () => {
    if (++dials === 2 || dials === 3) throw new Error('still away');
    return database.connect();
  });
  const [one, two] = [listener(), listener()];
  notifications.on('a', one.handler);
  notifications.on('b', two.handler);
  await until(() => one.heard.length + two.heard.length === 2);
  const [pid] = await listeners(client);
  await client.query('select pg_terminate_backend($1)', [pid]);
  await notify(client, 'a', 'missed');
  await until(() => one.heard.length === 2 && two.heard.length === 2);
  expect(dials).toBe(4);
  await notify(client, 'a', 'heard');
  await until(() => one.heard.length === 3);
  expect([one.heard, two.heard]).toEqual([
    ['-', '-', 'heard'],
    ['-', '-'],
  ]);
});

/** The database over a TCP proxy that can drop all data without closing the connections. */
async function silenceable(name: string) {
  const { host, user } = inject('postgres');
  let silent = false;
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.5432`);
    sockets.push(near, far);
    const mute = silent;
    near.on('data', (data) => silent === mute && far.write(data));
    far.on('data', (data) => silent === mute && near.write(data));
    for (const socket of [near, far]) socket.on('error', () => {}).on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    fallSilent: () => (silent = true),
    dial: async () => {
      const client = new pg.Client({ host: '127.0.0.1', port, user, database: name });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
  };
}

test('a connection that is silent and not closed is found out', async () => {
  const { database, client } = await open();
  const name = new URL(database.url).pathname.slice(1);
  const { dial, fallSilent } = await silenceable(name);
  const notifications = await start(dial, 200);
  const { heard, handler } = listener();
  notifications.on('a', handler);
  await until(() => heard.length === 1);
  fallSilent();
  await notify(client, 'a', 'lost on the way');
  await until(() => heard.length === 2);
  await notify(client, 'a', 'heard');
  await until(() => heard.length === 3);
  expect(heard).toEqual(['-', '-', 'heard']);
});
