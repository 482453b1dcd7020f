import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectAgent, eras } from './support/agents.ts';
import { saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';
import { answerLegacy } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

let service: TestService;
let target: Hostile;
let server: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  target = await startHostile();
  server = (await saveServer(service, { url: target.url('/odd') })).id;
});
afterAll(async () => {
  await dispose(service);
  await target?.stop();
});

const calls = () => target.seen.filter(({ rpc, params }) => rpc === 'tools/call' && params?.name === 'slow');
const cancels = () => target.seen.filter(({ rpc }) => rpc === 'notifications/cancelled');

describe.each(eras)('an agent of %s', (era) => {
  test('that cancels a call cancels it at the server', async () => {
    const agent = await connectAgent(service, { era });
    const before = { calls: calls().length, cancels: cancels().length };
    const giveUp = new AbortController();
    const called = agent.call('call_server_tool', { server, tool: 'slow' }, { signal: giveUp.signal });
    await expect.poll(() => calls().length).toBe(before.calls + 1);
    giveUp.abort();
    await expect(called).rejects.toThrow();
    await expect.poll(() => cancels().length).toBe(before.cancels + 1);
    expect(cancels().at(-1)?.params).toMatchObject({ requestId: calls().at(-1)?.id });
  });

  test('that is gone cancels its call at the server', async () => {
    const agent = await connectAgent(service, { era });
    const before = { calls: calls().length, cancels: cancels().length };
    const called = agent.call('call_server_tool', { server, tool: 'slow' });
    called.catch(() => {});
    await expect.poll(() => calls().length).toBe(before.calls + 1);
    await agent.client.close();
    await expect.poll(() => cancels().length).toBe(before.cancels + 1);
  });
});

test('nobody else can cancel a call, though it has the same number', async () => {
  const stranger = await service.stranger();
  const agent = await connectAgent(service, { era: 'sdk 1' });
  const before = { calls: calls().length, cancels: cancels().length };
  const giveUp = new AbortController();
  const called = agent.call('call_server_tool', { server, tool: 'slow' }, { signal: giveUp.signal });
  called.catch(() => {});
  await expect.poll(() => calls().length).toBe(before.calls + 1);
  const { sessionId } = agent.client.transport;
  for (let requestId = 0; requestId < 10; requestId++)
    await fetch(`${service.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stranger.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    });
  expect(cancels()).toHaveLength(before.cancels);
  giveUp.abort();
  await expect.poll(() => cancels().length).toBe(before.cancels + 1);
});

test('the end of the service ends what runs, and waiting is answered', async () => {
  const ending = await startTestService({ worker: false });
  let stopped: Promise<void> | undefined;
  onTestFinished(async () => {
    await (stopped ?? ending.running.stop());
    await ending.database.drop();
    await rm(ending.running.services.config.dataDir, { recursive: true, force: true });
  });
  const saved = await saveServer(ending, { url: target.url('/odd') });
  let asked = 0;
  const silent = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    if (rpc?.method === 'tools/list') asked++;
    else answerLegacy({ request, response, rpc, path: '/', origin: '' });
  });
  onTestFinished(silent.stop);
  const mute = await saveServer(ending, { url: `http://127.0.0.1:${silent.port}/mcp` });
  const agent = await connectAgent(ending);
  const before = calls().length;
  const called = agent.call('call_server_tool', { server: saved.id, tool: 'slow' });
  const read = agent.read(`drydock:/${mute.path}/tools`);
  read.catch(() => {});
  await expect.poll(() => calls().length).toBe(before + 1);
  await expect.poll(() => asked).toBe(1);
  stopped = ending.running.stop();
  expect(await called).toMatchObject({ isError: true, ours: expect.stringContaining('shutting down') });
  await expect(read).rejects.toThrow('shutting down');
  await stopped;
});
