import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  type Client,
  type ClientOptions,
  createClient,
  DrydockError,
  eachItem,
  type Retry,
} from '../src/surfaces/client/index.ts';
import { startForTest } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import {
  answer,
  drop,
  type Fate,
  gathered,
  handOn,
  loseAnswer,
  type Unreliable,
  unreliable,
} from './support/unreliable.ts';

const me = answer(200, { email: 'a@example.com' });
const unavailable = answer(503, { code: 'INTERNAL_ERROR', message: 'closing' });
const limited = (retryAfter: string) =>
  answer(429, { code: 'RATE_LIMITED', message: 'slow' }, { 'retry-after': retryAfter });

async function against(
  fates: [Fate, ...Fate[]],
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; server: Unreliable; retries: Retry[] }> {
  const server = await unreliable(...fates);
  const retries: Retry[] = [];
  const onRetry = (retry: Retry) => void retries.push(retry);
  return {
    client: createClient({ baseUrl: server.url, apiKey: 'sk_', onRetry, ...options }),
    server,
    retries,
  };
}

const failed = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => error,
  );

test('what was created although the answer was lost is not created again', async () => {
  const service = await startForTest();
  const { client, server } = await against([loseAnswer(service.origin), drop, handOn(service.origin)], {
    apiKey: async () => service.key,
  });
  const { id } = await client.createProject({ body: { name: 'Once' } });
  expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(server.seen).toHaveLength(3);
  const { body } = await service.get('/projects');
  expect(body.items.filter(({ name }: { name: string }) => name === 'Once')).toMatchObject([{ id }]);
  await client.createProject({ body: { name: 'Twice' } });
  const [first, , , another] = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(another).not.toBe(first);
});

test.each<[string, Fate]>([
  ['a connection that breaks', drop],
  ['a service that stops', unavailable],
  ['a proxy that reaches nobody', answer(502, '<html>', { 'content-type': 'text/html' })],
  [
    'an answer that breaks off',
    (_, response) => void response.writeHead(200, { 'content-length': '50' }).write('{'),
  ],
])('%s is tried again for a read, and not for what cannot be repeated', async (_, fate) => {
  const cut: Fate = async (request, response, seen) => {
    await fate(request, response, seen);
    if (!response.writableEnded) setTimeout(() => request.socket.destroy(), 50);
  };
  const { client, server, retries } = await against([cut, me]);
  expect(await client.getMe()).toEqual({ email: 'a@example.com' });
  expect(server.seen).toHaveLength(2);
  expect(retries).toMatchObject([{ operation: 'getMe', attempt: 1 }]);
  const never = await against([cut]);
  expect(await failed(never.client.deleteProject({ projectId: 'p' }))).toBeInstanceOf(Error);
  expect(never.server.seen).toHaveLength(1);
});

test('a refusal for its rate is repeated for everything, after the time that was told in seconds or as a date', async () => {
  const at = new Date(Date.now() + 2000).toUTCString();
  const done = answer(200, { id: 'p', deleted: true });
  const { client, server, retries } = await against([limited('0.2'), limited(at), done]);
  await client.deleteProject({ projectId: 'p' });
  expect(server.seen).toHaveLength(3);
  const [seconds, date] = retries.map(({ wait }) => wait);
  expect(seconds).toBeGreaterThanOrEqual(200);
  expect(seconds).toBeLessThan(450);
  // The date has no milliseconds.
  expect(date).toBeGreaterThan(500);
  expect(date).toBeLessThan(2250);
});

test('it gives up after so many times, or when it would wait for too long, and says what it was told', async () => {
  const { client, server } = await against([limited('0')], { retries: 3 });
  expect(await failed(client.getMe())).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAfter: 0 });
  expect(server.seen).toHaveLength(4);
  const tomorrow = await against([limited('86400')]);
  expect(await failed(tomorrow.client.getMe())).toMatchObject({ retryAfter: 86_400 });
  expect(tomorrow.server.seen).toHaveLength(1);
});

test('what the service says about a server under test is an answer', async () => {
  const { client, server } = await against([answer(502, { code: 'SERVER_UNREACHABLE', message: 'refused' })]);
  const error = await failed(client.runDoctor({ projectId: 'p', serverId: 's', body: {} }));
  expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', status: 502 });
  expect(server.seen).toHaveLength(1);
});

test('a call whose earlier attempt is still worked on waits for its answer', async () => {
  const details = { reason: 'IDEMPOTENCY_KEY_IN_USE' };
  const busy = answer(409, { code: 'CONFLICT', message: 'under way', details }, { 'retry-after': '0' });
  const made = answer(201, { id: 'p' });
  const { client, server } = await against([drop, busy, busy, busy, busy, made]);
  expect(await client.createProject({ body: { name: 'x' } })).toEqual({ id: 'p' });
  expect(server.seen).toHaveLength(6);
});

test('keys that the caller gives are kept, and none is made where it would change something', async () => {
  const { client, server } = await against([answer(200, {})]);
  const place = { projectId: 'p', suiteId: 's' };
  await client.createProject({ body: { name: 'x' } }, { idempotencyKey: 'mine' });
  await client.createEvalRun({ projectId: 'p', body: { suiteId: 's', idempotencyKey: 'in the body' } });
  await client.createEvalCases({ ...place, body: { cases: [] } });
  await client.getMe();
  await client.createEvalRun({ projectId: 'p', body: { suiteId: 's' } });
  expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([
    'mine',
    undefined,
    undefined,
    undefined,
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
});

test('bytes are sent again, a stream is not', async () => {
  const stored = answer(200, { ok: true, storageId: 'blob_1' });
  const { client, server } = await against([limited('0'), stored]);
  const send = (upload: Parameters<Client['uploadEvalArtifact']>[0]['upload']) =>
    client.uploadEvalArtifact({ projectId: 'p', upload });
  await send(new Blob(['abc'], { type: 'text/plain' }));
  expect(server.seen.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
    ['abc', 'text/plain'],
    ['abc', 'text/plain'],
  ]);
  const once = await against([limited('0'), stored]);
  const bytes = new Blob(['abc']).stream();
  const upload = { contentType: 'text/html', bytes };
  expect(await failed(once.client.uploadEvalArtifact({ projectId: 'p', upload }))).toMatchObject({
    status: 429,
  });
  expect(once.server.seen).toMatchObject([{ body: 'abc', headers: { 'content-type': 'text/html' } }]);
});

test('giving up ends a call at once, also while it pauses, and so does its time', async () => {
  const hang: Fate = () => delay(5000, undefined, { ref: false });
  const stop = new AbortController();
  const waiting = await against([limited('30')], { onRetry: () => setTimeout(() => stop.abort(), 10) });
  const started = performance.now();
  const reason = await failed(waiting.client.getMe(undefined, { signal: stop.signal }));
  expect(reason).toMatchObject({ name: 'AbortError' });
  const slow = await against([hang], { timeout: 10_000 });
  expect(await failed(slow.client.getMe(undefined, { timeout: 50 }))).toMatchObject({ name: 'TimeoutError' });
  const again = await against([unavailable], { timeout: 400, retries: 100 });
  expect(await failed(again.client.getMe())).toMatchObject({ name: 'TimeoutError' });
  expect(performance.now() - started).toBeLessThan(scaled(4000));
});

test('an answer that is not from the service is told by what it says', async () => {
  const page = '<html><head><title>Sign in</title></head><body>…</body></html>';
  const html = { 'content-type': 'text/html; charset=utf-8' };
  for (const status of [200, 403]) {
    const { client } = await against([answer(status, page, html)]);
    const error = await failed(client.getMe());
    expect(error).toBeInstanceOf(DrydockError);
    expect(error).toMatchObject({
      status,
      message: `The answer is not from Drydock (HTTP ${status}, text/html): Sign in`,
    });
  }
});

test('what cannot be put into a path is not sent', async () => {
  const { client, server } = await against([me]);
  for (const projectId of ['', '..', undefined as unknown as string])
    expect(await failed(client.deleteProject({ projectId }))).toBeInstanceOf(TypeError);
  expect(server.seen).toEqual([]);
  await client.getClient({ projectId: 'p', client: 'a/b ?' });
  expect(server.seen[0]?.path).toBe('/api/v1/projects/p/clients/a%2Fb%20%3F');
});

test.each<[string, (client: Client) => AsyncGenerator, (seen: Unreliable['seen'][number]) => unknown]>([
  ['cursor', (client) => eachItem(client.listProjects, { limit: 2 }), ({ path }) => path.split('?')[1]],
  ['before', (client) => eachItem(client.listChatSessions, { limit: 2 }), ({ path }) => path.split('?')[1]],
  [
    'body',
    (client) => eachItem(client.listTools, { projectId: 'p', serverId: 's', body: { modelId: 'm' } }),
    ({ body }) => body,
  ],
])('a list is walked to its end that takes the cursor in: %s', async (place, list, shown) => {
  const { client, server } = await against([
    answer(200, { items: [1, 2], nextCursor: 'n' }),
    answer(200, { items: [3] }),
  ]);
  expect(await gathered(list(client))).toEqual([1, 2, 3]);
  const query = ['limit=2', `limit=2&${place}=n`];
  expect(server.seen.map(shown)).toEqual(
    place === 'body' ? ['{"modelId":"m"}', '{"modelId":"m","cursor":"n"}'] : query,
  );
});

test('a list that does not go on is left', async () => {
  const { client } = await against([answer(200, { items: [1], nextCursor: 'same' })]);
  expect(await failed(gathered(eachItem(client.listProjects, {})))).toMatchObject({
    message: expect.stringContaining('same cursor twice'),
  });
});
