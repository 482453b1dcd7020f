// @module-tag long
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '../src/platform/ids.ts';
import { type SavedServer, saveServer } from './support/live.ts';
import { processesWith } from './support/processes-with.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { everythingStdio, startEverything } from './targets/processes.ts';

let service: TestService;
let target: Hostile;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));
beforeEach(async () => {
  target = await startHostile();
});
afterEach(() => target.stop());

const sent = (rpc: string): number => target.seen.filter((one) => one.rpc === rpc).length;
const echo = (server: SavedServer, message = 'ahoy') =>
  server.post('tools/call', { toolName: 'echo', parameters: { message } });

describe('a warm connection', () => {
  test('is used again, and by many at once', async () => {
    const server = await saveServer(service, { url: target.url('/odd') });
    await echo(server);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => echo(server, `${i}`)));
    expect(answers.map(({ body }) => body.structuredContent.input.message)).toEqual(
      Array.from({ length: 50 }, (_, i) => `${i}`),
    );
    expect(sent('initialize')).toBe(1);
  });

  test('is opened once when many ask for it at once', async () => {
    const server = await saveServer(service, { url: target.url('/odd') });
    const answers = await Promise.all(Array.from({ length: 20 }, () => echo(server)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(sent('initialize')).toBe(1);
  });

  test('is not used after the server was edited', async () => {
    const server = await saveServer(service, { url: target.url('/odd'), headers: { 'X-Ship': 'Albatross' } });
    await echo(server);
    await service.patch(server.path, { headers: { 'X-Ship': 'Bittern' } });
    await echo(server);
    expect(sent('initialize')).toBe(2);
    expect(target.seen.findLast(({ rpc }) => rpc === 'tools/call')?.headers).toMatchObject({
      'x-ship': 'Bittern',
    });
  });

  test('is not shared between organizations, servers, tokens or protocol settings', async () => {
    const url = target.url('/odd');
    const stranger = await service.stranger();
    const servers = [
      await saveServer(service, { url }),
      await saveServer(service, { url }),
      await saveServer(service, { url }, stranger.key),
    ];
    for (const server of servers) await echo(server);
    const [first] = servers as [SavedServer];
    await first.post('tools', { oauthAccessToken: 'another-token' });
    await first.post('tools', { clientCapabilities: { roots: {} } });
    await first.post('tools', { clientInfo: { name: 'somebody', version: '2' } });
    expect(sent('initialize')).toBe(6);
    await echo(first);
    expect(sent('initialize')).toBe(6);
  });

  test('whose session the server forgot is replaced, and the call is made once', async () => {
    const server = await saveServer(service, { url: target.url('/odd') });
    await echo(server);
    target.forgetSessions();
    const before = sent('tools/call');
    expect((await echo(server)).status).toBe(200);
    // The first was refused with the session; only the second was carried out.
    expect(sent('tools/call') - before).toBe(2);
    expect(sent('initialize')).toBe(2);
  });

  test('to a server that was restarted is replaced', async () => {
    await using everything = await startEverything('streamableHttp');
    const server = await saveServer(service, { url: everything.url });
    expect((await echo(server)).status).toBe(200);
    await everything.restart();
    expect(await echo(server)).toMatchObject({ status: 200, body: { content: [{ text: 'Echo: ahoy' }] } });
  });

  test('that timed out is given up, and the next call gets a new one', async () => {
    const server = await saveServer(service, { url: target.url('/odd'), timeout: 300 });
    await echo(server);
    expect(await server.post('tools/call', { toolName: 'slow' })).toMatchObject({
      status: 504,
      body: { code: 'TIMEOUT', message: expect.stringContaining('300 ms') },
    });
    expect((await echo(server)).status).toBe(200);
    expect(sent('initialize')).toBe(2);
  });

  test('survives an error of the server and a caller that hangs up', async () => {
    const server = await saveServer(service, { url: target.url('/odd') });
    await server.post('tools/call', { toolName: 'boom' });
    await server.post('tools/call', { toolName: 'fails' });
    const hangUp = new AbortController();
    const slow = fetch(`${service.running.baseUrl}${server.path}/tools/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ toolName: 'slow' }),
      signal: hangUp.signal,
    }).catch(() => 'gone');
    await expect.poll(() => sent('tools/call')).toBe(3);
    hangUp.abort();
    expect(await slow).toBe('gone');
    await expect.poll(() => sent('notifications/cancelled')).toBe(1);
    await echo(server);
    expect(sent('initialize')).toBe(1);
  });
});

describe('a command', () => {
  test('that dies between calls is started again', async () => {
    const mark = newId('mark');
    const dying = `${odd} process.stdin.on('data', (line) => { if (String(line).includes('tools/call')) setTimeout(() => process.exit(), 50) })`;
    const server = await saveServer(service, { command: process.execPath, args: ['-e', dying, mark] });
    const first = await server.post('tools/call', { toolName: 'began' });
    await expect.poll(() => processesWith(mark)).toEqual([]);
    const second = await server.post('tools/call', { toolName: 'began' });
    expect(second.status).toBe(200);
    expect(second.body.began).not.toBe(first.body.began);
  });

  test('that dies during a call is not started again for it', async () => {
    const dying = `${odd} process.stdin.on('data', (line) => { if (String(line).includes('"die"')) process.exit(3) })`;
    const server = await saveServer(service, { command: process.execPath, args: ['-e', dying] });
    await server.post('tools/call', { toolName: 'began' });
    expect(await server.post('tools/call', { toolName: 'die' })).toMatchObject({
      status: 502,
      body: { code: 'SERVER_UNREACHABLE', message: expect.stringContaining('command has ended') },
    });
  });

  test('is run without a shell', async () => {
    const server = await saveServer(service, {
      command: `${process.execPath} -e 0; echo pwned`,
      args: ['$(id)'],
    });
    expect(await server.post('validate')).toMatchObject({
      status: 502,
      body: { code: 'SERVER_UNREACHABLE', message: expect.stringContaining('was not found') },
    });
  });
});

describe('the pool', () => {
  async function smallService(env: Record<string, string>): Promise<TestService> {
    const small = await startTestService({ env });
    onTestFinished(() => dispose(small));
    return small;
  }

  test('keeps no more commands than allowed, and serves them all', async () => {
    const small = await smallService({ DRYDOCK_WARM_PROCESSES: '2' });
    const servers = await Promise.all(Array.from({ length: 4 }, () => saveServer(small, everythingStdio())));
    const answers = await Promise.all(servers.map((server) => echo(server)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(small.running.services.mcp.warmConnections).toBeLessThanOrEqual(2);
  });

  test('closes what nobody uses', async () => {
    const small = await smallService({ DRYDOCK_WARM_SECONDS: '1' });
    const server = await saveServer(small, { url: target.url('/odd') });
    await echo(server);
    expect(small.running.services.mcp.warmConnections).toBe(1);
    await expect.poll(() => small.running.services.mcp.warmConnections).toBe(0);
    // The session is ended, not left behind.
    await expect.poll(() => target.seen.some(({ method }) => method === 'DELETE')).toBe(true);
  });

  test('ends its commands with the service', async () => {
    const mark = newId('mark');
    const small = await startTestService();
    const server = await saveServer(small, { command: process.execPath, args: ['-e', odd, mark] });
    await server.post('tools/call', { toolName: 'began' });
    expect(processesWith(mark)).not.toEqual([]);
    await dispose(small);
    await expect.poll(() => processesWith(mark)).toEqual([]);
  });
});

/** A server of one line: its only tool tells when it began. */
const odd = `
const began = String(process.hrtime.bigint());
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...result }) + '\\n');
  if (method === 'initialize') return answer({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'began', version: '1' } } });
  if (method === 'tools/call' && params.name === 'began') return answer({ result: { content: [], began } });
  if (method !== 'tools/call') answer({ error: { code: -32601, message: 'Method not found' } });
});`;
