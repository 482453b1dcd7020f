import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestService, type TestService } from './support/service.ts';
import { hold, openTunnel } from './support/tunnels.ts';
import { listen } from './targets/listen.ts';

let replicas: [TestService, TestService];
let project: string;

beforeAll(async () => {
  const first = await startTestService();
  const { dataDir } = first.running.services.config;
  replicas = [first, await startTestService({ database: first.database, dataDir })];
  project = await first.defaultProject();
});
afterAll(async () => {
  for (const replica of replicas.toReversed()) await replica.stop();
});

/** A load balancer in front of the replicas, which sends connections to the chosen one. */
async function balancer(): Promise<{ url: string; to: (replica: TestService) => void; cut: () => void }> {
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    sockets.add(socket);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as { port: number }).port}/tunnels/connect`,
    to: ({ origin }) => (port = Number(new URL(origin).port)),
    cut,
  };
}

test('a request to either replica reaches the client that is connected to one of them', async () => {
  const [first, second] = replicas;
  const grant = await openTunnel(first, project, 'shared');
  const holder = hold(grant, await first.demoUrl());
  onTestFinished(() => holder.stop());
  await holder.greeted();
  const tools = `/projects/${project}/servers/${grant.serverId}/tools`;
  for (const replica of replicas) {
    const listed = await replica.post(tools, {}, { key: first.key });
    expect(listed.body.items.length).toBeGreaterThan(2);
    const url = grant.url.replace(first.origin, replica.origin);
    const answer = await fetch(url, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([405, 'application/json']);
  }
  // Many bytes in both directions between the replicas.
  const body = 'x'.repeat(3_000_000);
  const url = grant.url.replace(first.origin, second.origin);
  expect((await fetch(url, { method: 'POST', body })).status).toBeGreaterThanOrEqual(400);
  expect(holder.events.some((event) => event.type === 'request' && event.error !== undefined)).toBe(false);
});

test('whoever knows no pass gets nothing from the port between replicas', async () => {
  const [first] = replicas;
  const holder = hold(await openTunnel(first, project, 'held'), await first.demoUrl());
  onTestFinished(() => holder.stop());
  await holder.greeted();
  const database = await first.database.connect();
  onTestFinished(() => database.end());
  const { rows } = await database.query(
    'select holder_url, slug, epoch from tunnels where holder_url is not null',
  );
  for (const { holder_url: origin, slug, epoch } of rows)
    for (const headers of [{}, { 'x-drydock-pass': `${Date.now()}.x` }])
      expect((await fetch(`${origin}/${slug}/${epoch}/mcp`, { headers })).status).toBe(403);
  expect(rows.length).toBeGreaterThan(0);
});

test('a replica that ends sends its clients to another one, and one that dies is left by them', async () => {
  const [first, second] = replicas;
  const { dataDir } = first.running.services.config;
  const third = await startTestService({ database: first.database, dataDir });
  const front = await balancer();
  const grant = await openTunnel(first, project, 'moving');
  front.to(third);
  const holder = hold(grant, await first.demoUrl(), front.url);
  onTestFinished(() => holder.stop());
  await holder.greeted();
  front.to(second);
  await third.stop();
  await holder.greeted(2);
  expect(holder.events.find(({ type }) => type === 'disconnected')).toMatchObject({ retryIn: 0 });
  const tools = `/projects/${project}/servers/${grant.serverId}/tools`;
  expect((await first.post(tools, {})).status).toBe(200);
  // The connection is cut without a close frame.
  front.to(first);
  front.cut();
  await holder.greeted(3);
  expect((await second.post(tools, {}, { key: first.key })).body).toMatchObject({ items: expect.anything() });
  expect((await first.post(tools, {})).status).toBe(200);
});

test('when the replica that holds it ends, what is under way ends too, and what comes meanwhile waits for the next', async () => {
  const [first, second] = replicas;
  const { dataDir } = first.running.services.config;
  const third = await startTestService({ database: first.database, dataDir });
  const front = await balancer();
  let arrived = (): void => {};
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => (arrived = resolve));
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const target = await listen(async (_request, response) => {
    arrived();
    await answered;
    response.end('answered');
  });
  onTestFinished(target.stop);
  const grant = await openTunnel(first, project, 'handed over');
  front.to(third);
  const holder = hold(grant, `http://127.0.0.1:${target.port}/mcp`, front.url);
  onTestFinished(() => holder.stop());
  await holder.greeted();
  const ask = (replica: TestService) => fetch(grant.url.replace(first.origin, replica.origin));
  const underWay = ask(second);
  await asked;
  front.to(second);
  const stopped = third.stop();
  const database = await first.database.connect();
  onTestFinished(() => database.end());
  const holders = async () =>
    (await database.query('select holder_id from tunnels where slug = $1', [grant.slug])).rows;
  await expect.poll(holders).toEqual([{ holder_id: null }]);
  const meanwhile = ask(first);
  // Both requests wait until the server behind the tunnel answers.
  answer();
  expect([(await underWay).status, await (await underWay).text()]).toEqual([200, 'answered']);
  expect([(await meanwhile).status, await (await meanwhile).text()]).toEqual([200, 'answered']);
  await stopped;
  expect(holder.events.filter(({ type }) => type === 'connected')).toHaveLength(2);
});

test('a row that names a process that is gone is an answer, not a wait', async () => {
  const [first, second] = replicas;
  const grant = await openTunnel(first, project, 'stale');
  const database = await first.database.connect();
  onTestFinished(() => database.end());
  await database.query(
    `update tunnels set holder_id = 'tuh_gone', holder_url = 'http://127.0.0.1:9', held_until = now() + interval '1 hour'
     where slug = $1`,
    [grant.slug],
  );
  const answer = await fetch(grant.url.replace(first.origin, second.origin));
  expect([answer.status, ((await answer.json()) as { details: unknown }).details]).toEqual([
    502,
    { reason: 'TUNNEL_OFFLINE' },
  ]);
});
