// @module-tag long
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/surfaces/client/index.ts';
import { place } from './support/process.ts';

/** A service with more requests than it can serve sheds the rest and stays up. */

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  ms: number;
}

interface Asked {
  method?: string;
  key?: string;
  body?: Buffer;
}

function ask(agent: Agent, url: string, { method = 'GET', key, body }: Asked = {}): Promise<Answer> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    request(url, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, text, ms: performance.now() - began });
      });
    })
      .on('error', reject)
      .end(body);
  });
}

interface HalfSent {
  answer?: { status: number };
  finish: () => void;
}

/** A request whose body stops halfway. */
function halfSent(url: string, key: string, body: Buffer): HalfSent {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const half = Math.floor(body.length / 2);
  const sending = request(url, { method: 'POST', headers }, (response) => {
    one.answer = { status: response.statusCode ?? 0 };
    response.resume();
  });
  // A shed request is disconnected while it is still sending.
  sending.on('error', () => (one.answer ??= { status: 0 }));
  sending.write(body.subarray(0, half));
  const one: HalfSent = { finish: () => sending.end(body.subarray(half)) };
  return one;
}

function agentFor(): Agent {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return agent;
}

const overloaded = { code: 'UNAVAILABLE', details: { reason: 'OVERLOADED' } };

function expectShed({ status, headers, text }: Answer): void {
  expect(status).toBe(503);
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(3);
  expect(JSON.parse(text)).toMatchObject(overloaded);
}

function shedCount(metrics: string, reason?: string): number {
  const lines = [...metrics.matchAll(/^drydock_shed_requests_total\{reason="(\w+)"\} (\d+)$/gm)];
  return lines
    .filter(([, name]) => reason === undefined || name === reason)
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}

test('Flooded with large bodies a small process answers each of them, health beside them, and lives on', {
  tags: ['long'],
}, async () => {
  const at = await place();
  const service = await at.serve({
    DRYDOCK_RATE_LIMIT: 'off',
    NODE_OPTIONS: '--max-old-space-size=96',
  });
  const key = service.key as string;
  const origin = new URL(service.baseUrl).origin;
  const { items } = await createClient({ baseUrl: service.baseUrl, apiKey: key }).listProjects({});
  const url = `${service.baseUrl}/projects/${items[0]?.id}/servers`;
  // Many small values: parsed, the body takes a multiple of its size.
  const body = Buffer.from(
    JSON.stringify({ name: 'flood', extra: Array.from({ length: 200_000 }, () => [1]) }),
  );
  expect(body.length).toBeGreaterThan(600_000);
  const agent = agentFor();
  // Requests that arrive while others hold the whole capacity are shed, however fast the service is.
  const held = Array.from({ length: 30 }, () => halfSent(url, key, body));
  const turnedAway = () => held.filter(({ answer }) => answer?.status === 503).length;
  await expect.poll(turnedAway).toBeGreaterThan(0);
  for (const { finish } of held) finish();
  await expect.poll(() => held.every(({ answer }) => answer !== undefined)).toBe(true);
  const sent = 300;
  const flood = Promise.all(
    Array.from({ length: sent }, () => ask(agent, url, { method: 'POST', key, body })),
  );
  const state = { over: false };
  void flood.finally(() => (state.over = true));
  const health: Answer[] = [];
  while (!state.over) health.push(await ask(agent, `${origin}/healthz`));
  const answers = await flood;
  const shed = answers.filter(({ status }) => status === 503);
  const accepted = answers.filter(({ status }) => status === 400);
  expect(shed.length + accepted.length).toBe(sent);
  expect(accepted.length).toBeGreaterThan(0);
  for (const answer of shed) expectShed(answer);
  expect(health.every(({ status }) => status === 200)).toBe(true);
  expect(service.child.exitCode).toBeNull();
  const metrics = (await ask(agent, `${origin}/metrics`)).text;
  expect(shedCount(metrics)).toBe(shed.length + turnedAway());
  // After the flood, requests are answered again.
  const after = await createClient({ baseUrl: service.baseUrl, apiKey: key }).listProjects({});
  expect(after.items).toHaveLength(1);
});

test('Beyond the bound requests are turned away before anybody looks who asks', async () => {
  const at = await place();
  const service = await at.serve({ DRYDOCK_RATE_LIMIT: 'off', DRYDOCK_MAX_REQUESTS: '4' });
  const key = service.key as string;
  const origin = new URL(service.baseUrl).origin;
  const agent = agentFor();
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => ask(agent, `${service.baseUrl}/me`, { key })),
  );
  const shed = answers.filter(({ status }) => status === 503);
  expect(shed.length + answers.filter(({ status }) => status === 200).length).toBe(200);
  expect(shed.length).toBeGreaterThan(0);
  for (const answer of shed) expectShed(answer);
  expect(shedCount((await ask(agent, `${origin}/metrics`)).text, 'requests')).toBe(shed.length);
  expect((await ask(agent, `${service.baseUrl}/me`, { key })).status).toBe(200);
});

test('Streams are counted apart from other requests, and one that is closed makes room', async () => {
  const at = await place();
  const { baseUrl, key } = await at.serve({ DRYDOCK_RATE_LIMIT: 'off', DRYDOCK_MAX_REQUESTS: '3' });
  const api = createClient({ baseUrl, apiKey: key });
  const [project] = (await api.listProjects({})).items;
  const projectId = project?.id as string;
  // A run that is reported in parts and never ends.
  const body = { suiteName: 'Watched', externalRunId: 'first' };
  const { runId } = await api.startEvalIngestRun({ projectId, body });
  const watch = async (): Promise<{ answer: Response; hangUp: () => void }> => {
    const hanging = new AbortController();
    onTestFinished(() => hanging.abort());
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    const url = `${baseUrl}/projects/${projectId}/eval-runs/${runId}/events`;
    return { answer: await fetch(url, { headers, signal: hanging.signal }), hangUp: () => hanging.abort() };
  };
  const open = [await watch(), await watch(), await watch()];
  expect(open.map(({ answer }) => answer.status)).toEqual([200, 200, 200]);
  const { answer } = await watch();
  expectShed({
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: await answer.text(),
    ms: 0,
  });
  const agent = agentFor();
  expect((await ask(agent, `${baseUrl}/me`, { key: key as string })).status).toBe(200);
  expect(shedCount((await ask(agent, `${new URL(baseUrl).origin}/metrics`)).text, 'streams')).toBe(1);
  open[0]?.hangUp();
  await expect.poll(async () => (await watch()).answer.status).toBe(200);
});

test('The client waits as it was told and asks again, also when it writes without a key of its own', async () => {
  const at = await place();
  const service = await at.serve({ DRYDOCK_RATE_LIMIT: 'off', DRYDOCK_MAX_REQUESTS: '1' });
  const key = service.key as string;
  const waits: number[] = [];
  const api = createClient({
    baseUrl: service.baseUrl,
    apiKey: key,
    retries: 20,
    onRetry: ({ wait, error }) => {
      expect(error).toMatchObject({ status: 503, ...overloaded });
      waits.push(wait);
    },
  });
  const names = Array.from({ length: 8 }, (_, nth) => `project ${nth}`);
  await Promise.all(names.map((name) => api.createProject({ body: { name } })));
  expect(waits.length).toBeGreaterThan(0);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
  const { items } = await api.listProjects({});
  expect(
    items
      .map(({ name }) => name)
      .filter((name) => names.includes(name))
      .sort(),
  ).toEqual(names);
});
