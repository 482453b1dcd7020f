import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { basePath } from '../src/surfaces/http/server.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';

const mebibyte = 1024 * 1024;
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ env: { DRYDOCK_ARTIFACT_LIMIT: String(mebibyte) } });
});
afterAll(() => dispose(service));

/** Sends all of a body before it reads anything, as most clients do, and returns what it was answered. */
async function sendAll(lines: string[], body: Iterable<Uint8Array | string>): Promise<string> {
  const { hostname, port } = new URL(service.running.baseUrl);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(`${[...lines, `Host: ${hostname}:${port}`].join('\r\n')}\r\n\r\n`);
  for (const part of body) if (!socket.write(part)) await once(socket, 'drain');
  return firstLines(socket);
}

async function firstLines(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes('"}')) break;
  }
  return text;
}

function* bytes(size: number): Generator<Uint8Array> {
  for (let sent = 0; sent < size; sent += 65_536) yield new Uint8Array(65_536);
}

function* chunked(size: number): Generator<Uint8Array | string> {
  for (const part of bytes(size)) yield* [`${part.length.toString(16)}\r\n`, part, '\r\n'];
  yield '0\r\n\r\n';
}

const length = (size: number): string => `Content-Length: ${size}`;
const json = 'Content-Type: application/json';
const html = 'Content-Type: text/html';
const inChunks = 'Transfer-Encoding: chunked';
const artifacts = '/projects/default/eval-ingest/artifacts';

test.each<[string, string, string[], (size: number) => Iterable<Uint8Array | string>, RegExp]>([
  ['announced', '/projects', [json, length(8 * mebibyte)], bytes, /larger than 1048576 bytes/],
  ['in chunks', '/projects', [json, inChunks], chunked, /larger than 1048576 bytes/],
  ['an announced upload', artifacts, [html, length(8 * mebibyte)], bytes, /larger than 1048576 bytes/],
  ['an upload in chunks', artifacts, [html, inChunks], chunked, /larger than 1048576 bytes/],
  ['to nowhere', '/nowhere', [json, length(8 * mebibyte)], bytes, /larger than 1048576 bytes/],
])(
  'a caller who sends all of a body that is too large, %s, hears why it was refused',
  async (_, path, headers, body, said) => {
    const start = [`POST ${basePath}${path} HTTP/1.1`, `Authorization: Bearer ${service.key}`, ...headers];
    const answer = await sendAll(start, body(8 * mebibyte));
    expect(answer).toMatch(/^HTTP\/1.1 4\d\d/);
    expect(answer).toMatch(said);
  },
);

test('a caller whose key is wrong hears it too', async () => {
  const start = [`POST ${basePath}/projects HTTP/1.1`, 'Authorization: Bearer x', json, length(8 * mebibyte)];
  expect(await sendAll(start, bytes(8 * mebibyte))).toMatch(/^HTTP\/1.1 401/);
});

test.each([
  [`${basePath}/projects`, []],
  ['/visit/api/study/open', ['X-Drydock-Console: 1']],
])('strangers who announce a body to %s and send none keep nobody else waiting', async (path, headers) => {
  const small = await startForTest({ worker: false, env: { DRYDOCK_MAX_REQUESTS: '64' } });
  const { hostname, port } = new URL(small.running.baseUrl);
  const sockets = Array.from({ length: 80 }, () => connect(Number(port), hostname));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const start = [`POST ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, json, length(100), ...headers];
  for (const socket of sockets) socket.on('error', () => undefined).write(`${start.join('\r\n')}\r\n\r\n`);
  await expect.poll(() => sockets.filter(({ bytesRead }) => bytesRead > 0).length).toBeGreaterThan(60);
  expect((await small.get('/me')).status).toBe(200);
});

test('a body without an end is not read for ever', async () => {
  const { hostname, port } = new URL(service.running.baseUrl);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST ${basePath}/projects HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${service.key}\r\n${json}\r\n${length(2 ** 40)}\r\n\r\n`,
  );
  let sent = 0;
  while (!socket.destroyed && sent < 256 * mebibyte) {
    sent += mebibyte;
    if (!socket.write(new Uint8Array(mebibyte)))
      await Promise.race([once(socket, 'drain'), closed]).catch(() => undefined);
  }
  await closed;
  expect(sent).toBeLessThan(64 * mebibyte);
});
