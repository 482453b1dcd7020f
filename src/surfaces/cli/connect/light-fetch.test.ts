import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lightFetch } from './light-fetch.ts';

const server = createServer((request, response) => void answer(request, response));
let origin: string;
let nobody: string;

const originOf = (listening: Server): string =>
  `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = originOf(server);
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  nobody = originOf(gone);
  await once(gone.close(), 'close');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/silent') return;
  if (request.url === '/breaks') {
    response.writeHead(200).write('half');
    setImmediate(() => request.socket.destroy());
    return;
  }
  if (request.url === '/pauses') return void response.writeHead(200).write('begins');
  if (request.url === '/moved') return void response.writeHead(302, { location: '/' }).end();
  const { method, headers } = request;
  const sent = { method, type: headers['content-type'], length: headers['content-length'] };
  response.writeHead(request.url === '/refuses' ? 413 : 200, { 'x-request-id': 'r' });
  response.end(JSON.stringify({ ...sent, body: await text(request) }));
}

type Fetch = typeof fetch;

/** The outcome of a request as the client sees it. */
async function outcome(send: Fetch, path: string, init: () => RequestInit): Promise<unknown> {
  try {
    const response = await send(path === 'nobody' ? nobody : `${origin}${path}`, init());
    const { status, ok, headers } = response;
    return {
      status,
      ok,
      id: headers.get('X-Request-Id'),
      none: headers.get('x'),
      body: await response.text(),
    };
  } catch (error) {
    const { name, message, cause } = error as Error;
    return { name, message, cause: (cause as { code?: string } | undefined)?.code };
  }
}

const stream = (): ReadableStream<Uint8Array> => new Blob(['in ', 'pieces']).stream();

const requests: [string, string, () => RequestInit][] = [
  ['a read', '/', () => ({})],
  [
    'a text',
    '/',
    () => ({ method: 'POST', body: '{"a":"é"}', headers: { 'content-type': 'application/json' } }),
  ],
  [
    'a deletion with a body',
    '/',
    () => ({ method: 'DELETE', body: '{}', headers: { 'content-type': 'a/b' } }),
  ],
  ['bytes', '/', () => ({ method: 'PUT', body: new Uint8Array(3), headers: { 'content-type': 'a/b' } })],
  [
    'a stream',
    '/',
    () => ({ method: 'PUT', body: stream(), duplex: 'half', headers: { 'content-type': 'a/b' } }),
  ],
  ['a refusal', '/refuses', () => ({ method: 'POST', body: 'x', headers: { 'content-type': 'a/b' } })],
  ['a redirection', '/moved', () => ({ redirect: 'manual' })],
  ['nobody there', 'nobody', () => ({})],
  ['one that was given up before', '/', () => ({ signal: AbortSignal.abort(new Error('enough')) })],
  ['one that is not answered in time', '/silent', () => ({ signal: AbortSignal.timeout(50) })],
];

test.each(requests)('%s comes to the same as with fetch', async (_, path, init) => {
  expect(await outcome(lightFetch, path, init)).toEqual(await outcome(fetch, path, init));
});

test('an answer that breaks off, or is given up, fails where it is read', async () => {
  expect(await outcome(lightFetch, '/breaks', () => ({}))).toMatchObject({
    name: 'TypeError',
    message: 'terminated',
  });
  const giveUp = new AbortController();
  const { body } = await lightFetch(`${origin}/pauses`, { signal: giveUp.signal });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('begins');
  giveUp.abort();
  await expect(reader.read()).rejects.toThrow('terminated');
});
