// @module-tag long
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../src/platform/database/database.ts';
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

const project = async (name: string): Promise<string> =>
  `/projects/${(await service.post('/projects', { name })).body.id}`;

async function hook(path: string, url: string, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await service.post(`${path}/webhooks`, { name: 'ci', url, ...more });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.id as string;
}

async function report(path: string): Promise<string> {
  const results = [{ caseTitle: 'One', passed: true }];
  const answer = await service.post(`${path}/eval-ingest/report`, { suiteName: 'Reported', results });
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  return answer.body.runId as string;
}

/** Answers that begin with 200 and go on badly. */
const bodies: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  'more bytes than are read': (response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200).on('drain', more);
    more();
  },
  'compressed bytes': (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('fine'));
  },
  'JSON without an end': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(50_000));
  },
  'an event stream that stays open': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  },
  'half of what it announces': (response, request) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half', () => setTimeout(() => request.socket.destroy(), 50));
  },
};

test.each(Object.entries(bodies))('200 with %s is an arrival', async (_, answer) => {
  const path = await project('Bodies');
  let times = 0;
  const { origin } = await serveWeb((request, response) => {
    times++;
    request.resume().on('end', () => answer(response, request));
  });
  const id = await hook(path, `${origin}/`, { events: ['eval_run.decided'] });
  await report(path);
  const latest = async () => (await service.get(`${path}/webhooks/${id}/deliveries`)).body.items[0];
  await expect
    .poll(latest, { timeout: scaled(20_000) })
    .toMatchObject({ state: 'delivered', lastStatus: 200, attempts: 1 });
  expect(times).toBe(1);
});

/** How many jobs there were for a webhook so far. */
async function jobsOf(id: string): Promise<number> {
  const counted = `select count(*)::int as n from jobs where kind = 'deliver-webhook' and unique_key = $1`;
  return ((await (service.db as Database).pool.query(counted, [id])).rows[0] as { n: number }).n;
}

test('what waits behind a delivery that failed wakes nobody', async () => {
  const path = await project('Behind');
  const receiver = await Receiver.start();
  receiver.answer = () => 500;
  const id = await hook(path, receiver.url);
  await report(path);
  const pending = async () => (await service.get(`${path}/webhooks/${id}`)).body.pending;
  await expect.poll(pending, { timeout: scaled(5_000) }).toBe(2);
  await receiver.until(({ received }) => received.length >= 1);
  const later = `update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
    where webhook_id = $1 and place = (select min(place) from webhook_deliveries where webhook_id = $1)`;
  await within(service, later, [id]);
  await delay(1_000);
  const before = await jobsOf(id);
  await delay(5_000);
  expect(await jobsOf(id)).toBe(before);
});

test('what a project that is deleted has waiting wakes nobody', async () => {
  const path = await project('Deleted');
  const id = await hook(path, 'http://127.0.0.1:1/', { enabled: false });
  await service.patch(`${path}/webhooks/${id}`, { enabled: true });
  const row = `insert into webhook_deliveries (id, webhook_id, project_id, event_id, type, subject, data)
    select 'dlv_00' || id, id, project_id, 'evt', 'gate.changed', 's', '{}' from webhooks where id = $1`;
  await within(service, 'update projects set deleted_at = now() where id = $1', [path.split('/').at(-1)]);
  await within(service, row, [id]);
  await delay(1_000);
  const before = await jobsOf(id);
  await delay(5_000);
  expect(await jobsOf(id)).toBe(before);
});

test('receivers that do not answer are not in the way of one that does', async () => {
  const silent = await serveWeb(() => {});
  const [bad, fine] = [await project('Silent'), await project('Fine')];
  const events = ['eval_run.decided'];
  for (let nth = 0; nth < 20; nth++) await hook(bad, `${silent.origin}/`, { name: `h${nth}`, events });
  const receiver = await Receiver.start();
  await hook(fine, receiver.url, { events });
  // As they are after a while.
  const failing = `update webhooks set failures = 1, failing_since = now() where project_id = $1`;
  await within(service, failing, [bad.split('/').at(-1)]);
  await report(bad);
  await expect.poll(() => silent.paths.length, { timeout: scaled(10_000) }).toBeGreaterThan(0);
  const began = Date.now();
  await report(fine);
  await receiver.until(({ taken }) => taken.length === 1);
  expect(Date.now() - began).toBeLessThan(scaled(4_000));
});

test('a replay goes on where it ended, however many came at once and in whatever order', async () => {
  const path = await project('Replay');
  const id = await hook(path, 'http://127.0.0.1:1/', { events: ['finding.new'] });
  // Written by a long transaction: their IDs are later than those of what came after it began.
  const rows = `insert into webhook_deliveries (id, webhook_id, project_id, event_id, type, subject, data, state, created_at)
    select $2 || n, w.id, w.project_id, $2 || n, 'finding.new', $2 || n, '{}', 'dead', now() - $3 * interval '1 minute'
    from webhooks w cross join generate_series(1, $4) n where w.id = $1`;
  await within(service, rows, [id, 'dlv_00z', 30, 700]);
  await within(service, rows, [id, 'dlv_00a', 20, 700]);
  await within(service, rows, [id, 'dlv_00b', 10, 5]);
  const replay = (since: number) => service.post(`${path}/webhooks/${id}/replay`, { since });
  const first = await replay(Date.now() - 3_600_000);
  expect(first.body.count).toBe(1_400);
  const second = await replay(first.body.nextSince as number);
  expect(second.body).toEqual({ count: 5, nextSince: null });
});
