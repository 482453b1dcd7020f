import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { Wire } from './support/wire.ts';

let service: TestService;
let servers: string;

beforeAll(async () => {
  service = await startTestService();
  servers = `/projects/${await service.defaultProject()}/servers`;
});
afterAll(() => dispose(service));

const portOf = ({ origin }: TestService): number => Number(new URL(origin).port);

/** A client that sends these bytes and then holds on. Resolves when they are sent. */
function hold(at: TestService, bytes: string): Promise<void> {
  const socket = connect({ port: portOf(at), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

test.each([
  ['without a Host', 'GET /api/v1/models HTTP/1.1\r\n\r\n', 400],
  ['with two Hosts', 'GET /api/v1/models HTTP/1.1\r\nhost: x\r\nHOST: y\r\n\r\n', 400],
  ['of HTTP/1.0 without a Host', 'GET /api/v1/models HTTP/1.0\r\n\r\n', 200],
  ['that expects what nobody knows', 'GET /api/v1/models HTTP/1.1\r\nhost: x\r\nexpect: cake\r\n\r\n', 200],
  ['to open a tunnel', 'CONNECT e.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  [
    'to upgrade',
    'GET /api/v1/models HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    200,
  ],
  ['with two lengths', 'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
])('a request %s gets an answer like any other', async (_, bytes, status) => {
  const answer = await new Wire(portOf(service)).send(Buffer.from(bytes), { reuse: false });
  expect(answer.status).toBe(status);
  expect(answer.headers).toHaveProperty('x-request-id');
  expect(JSON.parse(answer.text)).toHaveProperty(status === 200 ? 'items' : 'code');
});

test('an upgrade that is not granted ends the connection, since nothing after it can be trusted', async () => {
  const upgrade = 'GET /api/v1/models HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
  const answers = await new Wire(portOf(service)).converse(Buffer.from(`${upgrade}garbage\r\n\r\n`));
  expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']]);
});

test('nobody can hold up the end of the service by not hanging up', async () => {
  const doomed = await startTestService({ env: { DRYDOCK_SHUTDOWN_TIMEOUT: '1' } });
  const begun = performance.now();
  await hold(doomed, 'GET /api/v1/me HT');
  await hold(doomed, 'garbage\r\n\r\n');
  await hold(
    doomed,
    `POST /api/v1/projects HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${doomed.key}\r\ncontent-length: 9\r\n\r\n`,
  );
  await hold(doomed, 'CONNECT e.com:443 HTTP/1.1\r\nhost: x\r\n\r\n');
  await dispose(doomed);
  expect(performance.now() - begun).toBeLessThan(scaled(5_000));
});

test('a number beyond all bounds is refused, not stored as something else', async () => {
  const body = '{"name":"n","url":"https://e.com","clientCapabilities":{"a":[0,1e999]}}';
  expect((await service.post(servers, body)).body).toEqual({
    code: 'VALIDATION_ERROR',
    message: 'clientCapabilities.a.1: The number is too large',
  });
});

test('a refusal quotes a long key in part, and no half characters', async () => {
  for (const padding of ['', 'x']) {
    const { status, body } = await service.post(servers, { [padding + '😀'.repeat(9_000)]: '\0' });
    expect(status).toBe(400);
    expect(body.message.length).toBeLessThanOrEqual(500);
    expect(body.message.isWellFormed()).toBe(true);
  }
});

test.each([
  ['a host of accents', `https://a${'\u0301\u0323'.repeat(200_000)}.com/`],
  [
    'a host of many letters',
    `https://${Array.from({ length: 200_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('')}/`,
  ],
])('a URL with %s is refused before it costs anything', async (_, url) => {
  const begun = performance.now();
  expect((await service.post(servers, { name: 'slow', url })).status).toBe(400);
  expect(performance.now() - begun).toBeLessThan(scaled(10_000));
});

test('a body of half a million values is read in reasonable time', async () => {
  const begun = performance.now();
  const body = `{"name":"wide","url":"https://e.com","oauthScopes":[${'1,'.repeat(500_000)}1]}`;
  expect((await service.post(servers, body)).status).toBe(400);
  expect(performance.now() - begun).toBeLessThan(scaled(10_000));
});

test('a server has so many headers and no more, since every answer lists them', async () => {
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'y']));
  const save = (name: string, count: number) =>
    service.post(servers, { name, url: 'https://e.com', headers: headers(count) });
  expect((await save('full', 256)).status).toBe(201);
  expect((await save('overfull', 257)).body.message).toBe('headers: Has more than 256 entries');
});
