import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveServer } from './support/live.ts';
import { ended, start } from './support/readiness.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { serveWeb } from './support/web.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

test('metadata elsewhere is read without what is saved for the server, and what it says stays short', async () => {
  const sent: { path: string; headers: IncomingHttpHeaders }[] = [];
  const elsewhere = await serveWeb((request, response) => {
    sent.push({ path: request.url ?? '', headers: request.headers });
    const issuer = `${elsewhere.origin}/${'i'.repeat(400_000)}`;
    const body = { resource: `${target.origin}/mcp`, authorization_servers: [issuer] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const target = await serveWeb((_, response) => {
    const where = `${elsewhere.origin}/prm`;
    const padding = 'p'.repeat(20_000);
    const header = `Bearer error="${padding}", resource_metadata="${where}"`;
    response.writeHead(401, { 'www-authenticate': header }).end();
  });
  const headers = { authorization: 'Bearer saved-for-one', 'x-saved': 'saved-for-one' };
  const server = await saveServer(service, { url: `${target.origin}/mcp?key=saved-for-one`, headers });
  const { body } = await start(service, server, 'claude', { allowSideEffects: true });
  const run = await ended(service, body.runId as string);
  expect(run).toMatchObject({ status: 'completed' });
  expect(sent.map(({ path }) => path.slice(0, 40))).toContain('/prm');
  expect(JSON.stringify(sent)).not.toContain('saved-for-one');
  const path = `/projects/${await service.defaultProject()}/readiness-runs/${run.id}`;
  const report = await service.get(`${path}/report`);
  expect(report.text).not.toContain('saved-for-one');
  expect(report.text.length).toBeLessThan(100_000);
});

test('a document in which much is wrong makes no long report', async () => {
  const target = await serveWeb((request, response) => {
    const wrong = { resource: 1, authorization_servers: Array.from({ length: 30_000 }, () => 1) };
    const found = (request.url ?? '').startsWith('/.well-known/');
    response
      .writeHead(found ? 200 : 401, { 'www-authenticate': 'Bearer', 'content-type': 'application/json' })
      .end(JSON.stringify(wrong));
  });
  const server = await saveServer(service, { url: `${target.origin}/mcp` });
  const { body } = await start(service, server, 'claude');
  const run = await ended(service, body.runId as string);
  expect(run).toMatchObject({ status: 'completed' });
  const path = `/projects/${await service.defaultProject()}/readiness-runs/${run.id}`;
  expect((await service.get(`${path}/report`)).text.length).toBeLessThan(100_000);
});

test('the same key at once starts one run', async () => {
  const server = await saveServer(service, { url: await service.demoUrl() });
  const all = await Promise.all(
    Array.from({ length: 8 }, () => start(service, server, 'claude', { idempotencyKey: 'once' })),
  );
  expect(new Set(all.map(({ body }) => body.runId as string)).size).toBe(1);
  expect(all.filter(({ body }) => body.deduped === false)).toHaveLength(1);
  const { key } = await service.stranger();
  const path = `/projects/${await service.defaultProject()}/readiness-runs/${all[0]?.body.runId}`;
  expect((await service.get(`${path}/report`, { key })).status).toBe(404);
});
