import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { withCredit } from '../src/tunnels/wire.ts';
import { startTestService, type TestService } from './support/service.ts';
import { openTunnel } from './support/tunnels.ts';

/** Where an answer through a tunnel ends is for the service to say: other answers follow on the same connection. */

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = await service.defaultProject();
});
afterAll(() => service.stop());

let count = 0;

/** Holds a tunnel with a client that answers every request with these headers and this body, whatever they say. */
async function answering(headers: [string, string][], body: string): Promise<string> {
  const grant = await openTunnel(service, project, `lying ${++count}`);
  const socket = new WebSocket(grant.relayWsUrl, withCredit, {
    headers: { authorization: `Bearer ${grant.connectToken}` },
  });
  onTestFinished(() => socket.terminate());
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const { t, id } = (isBinary ? {} : JSON.parse(data.toString())) as { t?: string; id?: number };
    if (t !== 'req' || id === undefined) return;
    socket.send(JSON.stringify({ t: 'res', id, status: 200, headers }));
    const frame = Buffer.alloc(5 + body.length);
    frame[0] = 2;
    frame.writeUInt32BE(id, 1);
    frame.write(body, 5);
    socket.send(frame);
    socket.send(JSON.stringify({ t: 'res_end', id }));
  });
  await once(socket, 'message');
  return grant.url;
}

/** All that comes on one connection over which the tunnel is asked, then the service. */
async function readOver(url: string): Promise<string> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  socket.write(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  await once(socket, 'close');
  return received;
}

const planted = 'HTTP/1.1 200 OK\r\nset-cookie: planted=1\r\n\r\n';

test.each([
  ['longer', '5', `hello${planted}`],
  ['shorter', '500', 'hello'],
])('an answer that is %s than it says is cut off with its connection', async (_, length, body) => {
  const received = await readOver(await answering([['content-length', length]], body));
  expect(received).not.toContain('planted');
  expect(received).not.toContain('{"status":"ok"}');
  expect(received.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
});

test.each([[['3', '50']], [['-1']], [['+5']], [['5, 5']], [['0x5']], [[' ']]])(
  'a length of %j is left out, and the answer ends where the service says',
  async (lengths) => {
    const headers = lengths.map((value): [string, string] => ['Content-Length', value]);
    const received = await readOver(await answering(headers, `hello${planted}`));
    const [first = '', second = ''] = received.split('0\r\n\r\n');
    expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(first.toLowerCase()).toContain('transfer-encoding: chunked');
    expect(first.toLowerCase()).not.toContain('content-length');
    expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"status":"ok"\}$/);
  },
);

test('an answer that is as long as it says keeps its length', async () => {
  const received = await readOver(await answering([['content-length', '5']], 'hello'));
  expect(received.toLowerCase()).toContain('content-length: 5\r\n');
  expect(received).toContain('{"status":"ok"}');
});
