import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dispose, startTestService, type TestService } from './support/service.ts';

const times = 10;
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => dispose(service));

test.each([1, 3])(
  'callers who hang up before the answer, after %i requests, leave no file open',
  async (requests) => {
    const { body } = await upload('text/html');
    const get = request('GET', `${artifacts}/${body.storageId}`);
    await hangUpAfter(get.repeat(requests));
    await expect.poll(() => openFiles(body.storageId)).toBe(0);
  },
);

test.each([1, 3])(
  'callers who hang up before the answer, after %i requests, leave no room taken',
  async (requests) => {
    const project = await service.defaultProject();
    const url = await serveLargeList();
    const { body } = await service.post(`/projects/${project}/servers`, { name: `large ${requests}`, url });
    const list = `/projects/${project}/servers/${body.id}/tools`;
    expect(await service.post(list)).toMatchObject({ status: 200 });
    await hangUpAfter(request('POST', list).repeat(requests));
    // The connection to the server is shared, so whatever was asked for before this is over.
    expect(await service.post(list)).toMatchObject({ status: 200 });
    await expect.poll(() => service.running.services.mcp.outbound.held.now).toBe(0);
  },
);

test('requests that do not wait for answers are answered in their order, malformed ones too', async () => {
  const paths = ['/me', '/%zz', '/projects', '/%zz', '/%zz', '/nothing', '/me'];
  const socket = open(paths.map((path) => request('GET', path)).join(''));
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  await expect.poll(statuses).toEqual([200, 400, 200, 400, 400, 404, 200]);
});

test('a stream that came to its end leaves nothing in memory', { tags: ['long'] }, async () => {
  const { body } = await service.post('/server-connections', { url: 'http://127.0.0.1:1/mcp' });
  const path = `/server-connections/${body.connectionRequestId}`;
  await service.post(`${path}/cancel`);
  const watch = async () => {
    const socket = open(request('GET', `${path}/events`)).resume();
    await once(socket, 'close');
  };
  await watch();
  const before = signals();
  for (let i = 0; i < 3 * times; i++) await watch();
  expect(signals() - before).toBeLessThan(times);
});

test('an upload that breaks off is no failure of ours', async () => {
  const head = request('POST', artifacts, 'content-type: text/html\r\ncontent-length: 100\r\n');
  const socket = open(`${head}half`);
  await expect.poll(() => openFiles('.incoming-')).toBe(1);
  socket.destroy();
  await expect.poll(() => openFiles('.incoming-')).toBe(0);
  await expect.poll(() => answered('uploadEvalArtifact').at(-1)).toContain('"status":400');
  expect(service.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('an upload whose type is none is told so', async () => {
  expect(await upload('html')).toMatchObject({
    status: 400,
    body: { message: 'Content-Type: Must be a media type, like text/html' },
  });
});

const artifacts = '/projects/default/eval-ingest/artifacts';

function upload(type: string) {
  return service.request('POST', artifacts, {
    body: new Uint8Array(1_000_000),
    headers: { 'content-type': type },
  });
}

function request(method: string, path: string, headers = ''): string {
  return `${method} /api/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.key}\r\n${headers}\r\n`;
}

function open(bytes: string) {
  const { hostname, port } = new URL(service.running.baseUrl);
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** At different moments, some of them before the service has found out who asks. */
async function hangUpAfter(bytes: string): Promise<void> {
  for (let i = 0; i < times; i++) {
    const socket = open(bytes);
    await once(socket, 'connect');
    setTimeout(() => socket.destroy(), i);
    await once(socket, 'close');
  }
}

function openFiles(name: string): number {
  const names = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return names.filter((each) => each.includes(name)).length;
}

/** How many there are, garbage not counted. */
function signals(): number {
  return Number(queryObjects(AbortSignal));
}

function answered(operation: string): string[] {
  return service.logs.filter((line) => line.includes('Answered') && line.includes(`"${operation}"`));
}

/** An MCP server with one tool, described at length. */
async function serveLargeList(): Promise<string> {
  const tools = [{ name: 'a', description: 'x'.repeat(300_000), inputSchema: { type: 'object' } }];
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'large', version: '1' },
    },
    'tools/list': { tools },
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    if (id === undefined) return void response.writeHead(202).end();
    const outcome = results[method]
      ? { result: results[method] }
      : { error: { code: -32601, message: 'no' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
