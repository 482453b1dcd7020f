import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { thisAddress } from '../../test/support/browser-engine.ts';
import { serveWeb } from '../../test/support/web.ts';
import type { AddressPolicy } from '../platform/network/address-guard.ts';
import { type GuardOptions, GuardProxy } from './guard-proxy.ts';
import { InternalHosts } from './internal-hosts.ts';

async function guard(options: Partial<GuardOptions> = {}): Promise<{ proxy: GuardProxy; port: number }> {
  const proxy = new GuardProxy({
    policy: async () => thisAddress,
    resolve: () => Promise.reject(new Error('no look-up')),
    ...options,
  });
  const port = Number(new URL(await proxy.open()).port);
  onTestFinished(() => proxy.close());
  return { proxy, port };
}

/** Sends a request through the proxy like a browser. */
async function get(port: number, path: string, headers: Record<string, string> = {}) {
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve).on('error', reject);
  });
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** Connects, sends text, and returns the first line of the response with the connection. */
async function speak(port: number, words: string) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const first = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''));
    socket.once('close', () => resolve('closed'));
  });
  socket.write(words);
  return { socket, line: await first };
}

const tunnel = (port: number, to: string) => speak(port, `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
const resolving =
  (...answers: string[][]) =>
  async () =>
    (answers.length > 1 ? (answers.shift() ?? []) : (answers[0] ?? [])).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));

test('requests and answers pass without what is between neighbours', async () => {
  const web = await serveWeb((asked, answer) => {
    answer.writeHead(200, { connection: 'x-hop', 'x-hop': '1', 'set-cookie': ['a=1', 'b=2'], 'x-end': '1' });
    answer.end(JSON.stringify(asked.headers));
  });
  const { port } = await guard();
  const hops = {
    'proxy-authorization': 'secret',
    'proxy-connection': 'keep-alive',
    te: 'trailers',
    'x-mine': '1',
  };
  const { headers, body } = await get(port, `${web.origin}/`, {
    ...hops,
    connection: 'x-near',
    'x-near': '1',
  });
  expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-end': '1' });
  expect(headers).not.toHaveProperty('x-hop');
  const arrived = JSON.parse(body) as Record<string, string>;
  expect(arrived).toMatchObject({ host: `127.0.0.1:${web.port}`, 'x-mine': '1' });
  for (const name of ['proxy-authorization', 'proxy-connection', 'te', 'x-near'])
    expect(arrived).not.toHaveProperty(name);
});

test('a name with one forbidden address is refused, and one that changes goes where it was checked', async () => {
  const good = await serveWeb((_, answer) => void answer.end('good'));
  const mixed = await guard({ resolve: resolving(['127.0.0.1', '127.0.0.2']) });
  expect(await get(mixed.port, `http://mixed.example:${good.port}/path`)).toMatchObject({ status: 403 });
  expect((await tunnel(mixed.port, `mixed.example:${good.port}`)).line).toContain('403');
  expect(mixed.proxy.refusals.map(({ url }) => url)).toEqual([
    `http://mixed.example:${good.port}/path`,
    `mixed.example:${good.port}`,
  ]);
  expect(mixed.proxy.refusals[0]?.reason).toContain('127.0.0.2 is a loopback address');
  expect(good.connections).toBe(0);
  // A second lookup would return another address. It happens only with the next request, which is refused.
  const changing = await guard({ resolve: resolving(['127.0.0.1'], ['127.0.0.2']) });
  const url = `http://rebinding.example:${good.port}/`;
  expect(await get(changing.port, url)).toMatchObject({ status: 200, body: 'good' });
  expect(await get(changing.port, url)).toMatchObject({ status: 403 });
  expect((await tunnel(changing.port, `rebinding.example:${good.port}`)).line).toContain('403');
});

test.each([
  'http://127.0.0.2:80/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.2]/',
  'http://0.0.0.0/',
  'http://169.254.169.254/latest',
  'http://2130706434/',
  'http://0x7f.2/',
  'http://127.2/',
])('%s is refused however it is written', async (url) => {
  const { port } = await guard();
  expect(await get(port, url)).toMatchObject({ status: 403 });
});

test('what is no request to a proxy is refused, and so is another proxy of ours', async () => {
  const web = await serveWeb((_, answer) => void answer.end('reached'));
  const first = await guard();
  const second = await guard();
  expect(await get(first.port, '/')).toMatchObject({ status: 400 });
  expect(await get(first.port, `http://user:word@127.0.0.1:${web.port}/`)).toMatchObject({ status: 400 });
  expect((await tunnel(first.port, 'nonsense')).line).toContain('400');
  expect(await get(first.port, `http://127.0.0.1:${second.port}/`)).toMatchObject({ status: 403 });
  expect((await tunnel(first.port, `127.0.0.1:${first.port}`)).line).toContain('403');
  expect((await speak(first.port, 'NONSENSE\r\n\r\n')).line).toBe('closed');
  expect(
    (await speak(first.port, `GET http://127.0.0.1:${web.port}/ HTTP/1.1\r\nx: ${'y'.repeat(70_000)}`)).line,
  ).toBe('closed');
  expect(web.connections).toBe(0);
});

test('errands of the browser go nowhere and are held against nobody', async () => {
  const { proxy, port } = await guard();
  expect((await tunnel(port, 'update.googleapis.com:443')).line).toContain('403');
  expect(proxy.refusals).toEqual([]);
});

test('a policy that changes counts at once, also for tunnels that are open', async () => {
  const web = await serveWeb((_, answer) => void answer.end('reached'));
  const state: { policy: AddressPolicy } = { policy: thisAddress };
  const { port } = await guard({ policy: async () => state.policy, limits: { judgeAgain: 20 } });
  const open = await tunnel(port, `127.0.0.1:${web.port}`);
  expect(open.line).toContain('200');
  const cut = new Promise((resolve) => open.socket.once('close', resolve));
  state.policy = { local: false, networks: [] };
  await cut;
  expect(await get(port, `${web.origin}/`)).toMatchObject({ status: 403 });
});

test('connections are bounded, and silence ends them', async () => {
  const web = await serveWeb(() => {});
  const { port } = await guard({ limits: { connections: 3, idle: 300 } });
  const open = await Promise.all([1, 2, 3].map(() => tunnel(port, `127.0.0.1:${web.port}`)));
  expect(open.map(({ line }) => line.includes('200'))).toEqual([true, true, true]);
  const ends = open.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
  expect((await tunnel(port, `127.0.0.1:${web.port}`)).line).toBe('closed');
  await Promise.all(ends);
  expect((await tunnel(port, `127.0.0.1:${web.port}`)).line).toContain('200');
});

test('the origins of a session are asked for before any name', async () => {
  const web = await serveWeb((_, answer) => void answer.end('reached'));
  const asked: unknown[] = [];
  const { proxy, port } = await guard({
    refusalOfOrigin: (...place) => {
      asked.push(place);
      return 'not listed';
    },
  });
  expect(await get(port, `${web.origin}/`)).toMatchObject({ status: 403, body: '' });
  expect((await tunnel(port, 'example.com:443')).line).toContain('403');
  expect(asked).toEqual([
    ['127.0.0.1', web.port, 'http'],
    ['example.com', 443, undefined],
  ]);
  expect(proxy.refusals.map(({ reason }) => reason)).toEqual(['not listed', 'not listed']);
});

test('internal hosts are answered here, with the headers they want, and exist nowhere else', async () => {
  const internal = new InternalHosts();
  const origin = internal.serve('host', ({ url }) => ({
    headers: { 'content-security-policy': "default-src 'none'" },
    body: `asked for ${url.pathname}`,
  }));
  const { port } = await guard({ internal });
  expect(origin).toBe('http://host.dd.localhost');
  expect(await get(port, `${origin}/x`)).toMatchObject({
    status: 200,
    headers: { 'content-security-policy': "default-src 'none'" },
    body: 'asked for /x',
  });
  expect(await get(port, 'http://other.dd.localhost/')).toMatchObject({ status: 404 });
  expect((await tunnel(port, 'host.dd.localhost:443')).line).toContain('403');
});
