// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { within } from './support/path-parameters.ts';
import { Receiver } from './support/receiver.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

async function saved(url: string): Promise<{ project: string; server: string; serverId: string }> {
  const project = `/projects/${(await service.post('/projects', { name: 'Checked' })).body.id}`;
  const { id } = (await service.post(`${project}/servers`, { name: 'demo', url })).body;
  return { project, server: `${project}/servers/${id}`, serverId: id as string };
}

/** Has it looked at once more, but for the first time, which comes by itself. All that was found, the latest first. */
async function checked(server: string, serverId: string) {
  const results = async () => (await service.get(`${server}/checks/results`)).body.items;
  const { length: before } = await results();
  if (before > 0)
    await within(service, 'update server_checks set due_at = now() where server_id = $1', [serverId]);
  for (const ends = Date.now() + scaled(40_000); ; await delay(50)) {
    const items = await results();
    if (items.length > before) return items;
    if (Date.now() > ends) throw new Error('not checked');
    const hurry = `update jobs set due_at = now() where kind = 'fire-server-checks' and state = 'waiting'`;
    await within(service, hurry, []);
  }
}

test('a server that goes and comes back is told of once each, and its health is shown', async () => {
  const demo = await serveDemoHttp(0, 'test');
  const { port } = new URL(demo.url);
  const { project, server, serverId } = await saved(demo.url);
  const receiver = await Receiver.start();
  const events = ['server.unhealthy', 'server.healthy'];
  await service.post(`${project}/webhooks`, { name: 'health', url: receiver.url, events });
  const set = await service.request('PUT', `${server}/checks`, { body: { everyMinutes: 10 } });
  expect(set).toMatchObject({ status: 200, body: { health: 'unknown', enabled: true, everyMinutes: 10 } });
  await checked(server, serverId);
  expect((await service.get(`${server}/checks`)).body).toMatchObject({
    health: 'healthy',
    uptime: { day: 1 },
  });
  await demo.stop();
  await checked(server, serverId);
  expect((await service.get(`${server}/checks`)).body.health).toBe('healthy');
  await checked(server, serverId);
  const items = await checked(server, serverId);
  expect(items.map(({ ok }: { ok: boolean }) => ok)).toEqual([false, false, false, true]);
  expect(items[0]).toMatchObject({ status: 'error', failedCheck: 'probe', detail: expect.any(String) });
  const again = await serveDemoHttp(Number(port), 'test');
  try {
    await checked(server, serverId);
    await checked(server, serverId);
  } finally {
    await again.stop();
  }
  await receiver.until(({ taken }) => taken.length >= 2);
  expect(receiver.taken.map(({ body }) => body)).toMatchObject([
    { type: 'server.unhealthy', data: { serverId, serverName: 'demo', ok: false, failures: 2 } },
    { type: 'server.healthy', data: { serverId, ok: true } },
  ]);
  const { body } = await service.get(`${server}/checks?hours=2`);
  expect(body.strip).toHaveLength(48);
  const sum = (name: 'ok' | 'failed') =>
    body.strip.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0);
  expect([sum('ok'), sum('failed')]).toEqual([3, 3]);
  expect(body).toMatchObject({
    health: 'healthy',
    uptime: { day: 0.5, week: 0.5, month: 0.5 },
    averageMs: expect.any(Number),
  });
  expect((await service.get(`${project}/server-checks`)).body.items).toMatchObject([
    { serverId, serverName: 'demo' },
  ]);
});

test('checks end when they are switched off or deleted, and pause when their account may not', async () => {
  const { project, server, serverId } = await saved(await service.demoUrl());
  const member = await service.member('member');
  await service.request('PUT', `${server}/checks`, { body: {}, key: member.key });
  await checked(server, serverId);
  await within(service, 'delete from organization_members where user_id = $1', [member.userId]);
  await within(service, 'update server_checks set due_at = now() where server_id = $1', [serverId]);
  const read = async () => (await service.get(`${server}/checks`)).body;
  await expect
    .poll(read, { timeout: scaled(15_000) })
    .toMatchObject({ pausedReason: expect.any(String), health: 'healthy' });
  await service.request('PUT', `${server}/checks`, { body: { enabled: false } });
  expect(await read()).toMatchObject({ enabled: false, nextCheckAt: null, pausedReason: null });
  expect(await service.request('DELETE', `${server}/checks`)).toMatchObject({
    status: 200,
    body: { deleted: true },
  });
  expect((await service.get(`${server}/checks`)).status).toBe(404);
  expect((await service.get(`${server}/checks/results`)).body.items).toEqual([]);
  expect((await service.get(`${project}/server-checks`)).body.items).toEqual([]);
});
