import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Client, createClient, DrydockError } from '../src/surfaces/client/index.ts';
import { saveServer } from './support/live.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { snapshotOf } from './support/snapshot.ts';
import { answerLegacy } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

const mebibyte = 1024 * 1024;
const artifacts = '/projects/default/eval-ingest/artifacts';

let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await startTestService();
  client = createClient({ baseUrl: service.running.baseUrl, apiKey: service.key });
});
afterAll(() => dispose(service));

test('bytes come back as they were stored, with their type, and a browser is told not to trust them', async () => {
  const bytes = randomBytes(3 * mebibyte);
  const stored = await client.uploadEvalArtifact({
    projectId: 'default',
    upload: new Blob([bytes], { type: 'text/html' }),
  });
  expect(stored).toEqual({ ok: true, storageId: expect.stringMatching(/^blob_/) });
  const projectId = await service.defaultProject();
  for (const place of [projectId, 'default']) {
    const response = await client.getEvalArtifact({ projectId: place, storageId: stored.storageId });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': String(bytes.length),
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  }
});

test('an upload without a content type is bytes; an empty one is refused', async () => {
  const send = (body: Uint8Array<ArrayBuffer>) =>
    fetch(`${service.running.baseUrl}${artifacts}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body,
    });
  expect((await send(new Uint8Array(0))).status).toBe(400);
  const { storageId } = (await (await send(new Uint8Array(1))).json()) as { storageId: string };
  const read = await client.getEvalArtifact({ projectId: 'default', storageId });
  expect(read.headers.get('content-type')).toBe('application/octet-stream');
  expect((await read.arrayBuffer()).byteLength).toBe(1);
});

test('another project does not have the artifact, and another organization has its own Default project', async () => {
  const { storageId } = await client.uploadEvalArtifact({
    projectId: 'default',
    upload: new Blob(['x'], { type: 'text/plain' }),
  });
  const { body: other } = await service.post('/projects', { name: 'Other' });
  expect((await service.get(`/projects/${other.id}/eval-ingest/artifacts/${storageId}`)).status).toBe(404);
  const { key } = await service.stranger();
  expect((await service.get(`${artifacts}/${storageId}`, { key })).status).toBe(404);
  // Only these operations know the word.
  expect((await service.get('/projects/default/servers')).status).toBe(404);
});

test.each([
  ['announced', (bytes: Uint8Array<ArrayBuffer>) => bytes],
  ['not announced', (bytes: Uint8Array<ArrayBuffer>) => streamOf(bytes)],
])(
  'more than 20 MiB, %s, is refused while it arrives and leaves nothing but a note to clear up',
  async (_, bodyOf) => {
    const database = await service.database.connect();
    onTestFinished(() => database.end());
    const before = process.memoryUsage().rss;
    const { blob_garbage: _before, ...snapshot } = await snapshotOf(database);
    const response = await fetch(`${service.running.baseUrl}${artifacts}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/html' },
      body: bodyOf(new Uint8Array(21 * mebibyte)),
      duplex: 'half',
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: 'The request body is larger than 20971520 bytes' },
    });
    const { blob_garbage: _after, ...left } = await snapshotOf(database);
    expect(left).toEqual(snapshot);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * mebibyte);
  },
);

test('the operator may allow less', async () => {
  const strict = await startForTest({ env: { DRYDOCK_ARTIFACT_LIMIT: '1000' } });
  const upload = (size: number) =>
    strict.request('POST', artifacts, {
      body: new Uint8Array(size),
      headers: { 'content-type': 'text/html' },
    });
  expect((await upload(1000)).status).toBe(200);
  expect(await upload(1001)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('a reader of events hears of each change, goes on where it stopped, and is told when it is over', async () => {
  const { body } = await service.post('/server-connections', { url: await service.demoUrl() });
  const id = body.connectionRequestId as string;
  const seen: string[] = [];
  for await (const { status } of client.watchServerConnection({ connectionRequestId: id })) seen.push(status);
  expect(seen.at(-1)).toBe('ready');
  expect(new Set(seen).size).toBe(seen.length);
  const again = await fetch(`${service.running.baseUrl}/server-connections/${id}/events`, {
    headers: { authorization: `Bearer ${service.key}`, 'last-event-id': '0-discovering' },
  });
  const text = await again.text();
  const last = /^id: (.*)$/m.exec(text)?.[1] ?? '';
  expect(text).toContain('"status":"ready"');
  const nothingNew = await fetch(`${service.running.baseUrl}/server-connections/${id}/events`, {
    headers: { authorization: `Bearer ${service.key}`, 'last-event-id': last },
  });
  expect(await nothingNew.text()).not.toContain('data:');
});

test('an examination is told check by check, and its report is that of the doctor', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const target = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    if (rpc?.method === 'tools/list') await released;
    answerLegacy({ request, response, rpc, path: '/mcp', origin: '' });
  });
  onTestFinished(target.stop);
  const saved = await saveServer(service, { url: `http://127.0.0.1:${target.port}/mcp` });
  const [, projectId = '', serverId = ''] = /^\/projects\/(\w+)\/servers\/(\w+)$/.exec(saved.path) ?? [];
  const seen: string[] = [];
  for await (const event of client.watchDoctor({ projectId, serverId, body: {} })) {
    seen.push(event.type === 'check' ? `${event.name} ${event.check.status}` : event.type);
    // The list of tools is answered when everything before it, and the lists beside it, have been told.
    if (seen.length === 7) release();
    if (event.type !== 'report') continue;
    const { generatedAt: _, probe: seenAt, ...rest } = event.report;
    const whole = (await saved.post('doctor')).body;
    expect(whole).toMatchObject(rest);
    expect(whole.probe.url).toBe(seenAt?.url);
  }
  expect(seen.slice(0, 4)).toEqual(['probe ok', 'connection ok', 'initialization ok', 'capabilities ok']);
  expect(seen.slice(4, 7).sort()).toEqual([
    'prompts skipped',
    'resourceTemplates skipped',
    'resources skipped',
  ]);
  expect(seen.slice(7)).toEqual(['tools ok', 'report']);
});

test('what cannot be read is refused before a stream begins', async () => {
  const watching = client.watchServerConnection({ connectionRequestId: 'scr_nothing' });
  await expect(watching[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(DrydockError);
});

test('a stream ends with the key it was asked for with, and says nothing more', async () => {
  const quiet = await startForTest({ worker: false });
  const { key, keyId } = await quiet.member('admin');
  const { body } = await quiet.post('/server-connections', { url: 'http://127.0.0.1:1/mcp' }, { key });
  const path = `/server-connections/${body.connectionRequestId as string}`;
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${quiet.running.baseUrl}${path}/events`, { headers });
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = '';
  while (!text.includes('discovering')) text += (await reader.read()).value;
  const database = await quiet.database.connect();
  onTestFinished(() => database.end());
  await database.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
  await database.query("select pg_notify('drydock_connections', $1)", [body.connectionRequestId]);
  expect(await reader.read()).toMatchObject({ done: true });
});

test('an open stream does not hold up the end of the service', async () => {
  const short = await startTestService({ worker: false });
  onTestFinished(() => short.database.drop());
  const { body } = await short.post('/server-connections', { url: 'http://127.0.0.1:1/mcp' });
  const response = await fetch(
    `${short.running.baseUrl}/server-connections/${body.connectionRequestId as string}/events`,
    { headers: { authorization: `Bearer ${short.key}` } },
  );
  const reader = response.body?.getReader();
  await reader?.read();
  const started = performance.now();
  await short.running.stop();
  expect(performance.now() - started).toBeLessThan(scaled(5_000));
  await reader?.cancel().catch(() => {});
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: (stream) => {
      if (at >= bytes.length) return stream.close();
      stream.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
    },
  });
}
