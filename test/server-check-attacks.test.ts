// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { within } from './support/path-parameters.ts';
import { Receiver } from './support/receiver.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { serveWeb } from './support/web.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

/** A server that answers every request with an error with this message. */
async function complaining(message: string): Promise<string> {
  const { origin } = await serveWeb((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id = null } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { id?: unknown };
      const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  return `${origin}/mcp`;
}

async function saved(url: string) {
  const project = `/projects/${(await service.post('/projects', { name: 'Checked' })).body.id}`;
  const { id } = (await service.post(`${project}/servers`, { name: 'demo', url })).body;
  return { project, server: `${project}/servers/${id}`, serverId: id as string };
}

function ignoreDeadlock(error: { code?: string }): void {
  if (error.code !== '40P01') throw error;
}

async function checked(server: string, serverId: string, times: number) {
  for (const ends = Date.now() + scaled(12_000); ; await delay(100)) {
    const { items } = (await service.get(`${server}/checks/results`)).body;
    if (items.length >= times) return items;
    if (Date.now() > ends) throw new Error(`checked ${items.length} times`);
    const due = 'update server_checks set due_at = now() where server_id = $1';
    const fire = `update jobs set due_at = now() where kind = 'fire-server-checks' and state = 'waiting'`;
    // After a deadlock with the service's own transaction, the next round tries again.
    await within(service, due, [serverId]).then(() => within(service, fire, []), ignoreDeadlock);
  }
}

const texts = ['bad \0 news', '💥'.repeat(600), `x${'💥'.repeat(600)}`];

test.each(texts)('what a server complains with is noted and told of, whatever it holds', async (message) => {
  const { project, server, serverId } = await saved(await complaining(message));
  const receiver = await Receiver.start();
  const events = ['server.unhealthy'];
  await service.post(`${project}/webhooks`, { name: 'health', url: receiver.url, events });
  await service.request('PUT', `${server}/checks`, { body: { everyMinutes: 10 } });
  const [latest] = await checked(server, serverId, 2);
  expect(latest).toMatchObject({ ok: false });
  await receiver.until(({ taken }) => taken.length >= 1);
});

test('checks set while the server is deleted answer 200 or 404', async () => {
  for (let nth = 0; nth < 3; nth++) {
    const { server } = await saved(await service.demoUrl());
    const put = () => service.request('PUT', `${server}/checks`, { body: {} });
    const all = await Promise.all([put(), put(), service.delete(server, { body: {} }), put(), put(), put()]);
    for (const { status } of all) expect([200, 404]).toContain(status);
  }
});
