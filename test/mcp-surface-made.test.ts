// @module-tag long
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Entrance, includedOperations } from '../src/domain/invoke.ts';
import { createKey } from '../src/domain/operator/keys.ts';
import { createClient } from '../src/surfaces/client/index.ts';
import { inProcessClient } from '../src/surfaces/in-process/client.ts';
import type { Agent } from '../src/surfaces/mcp/agent.ts';
import { catalogOf } from '../src/surfaces/mcp/catalog.ts';
import { createAgentServer } from '../src/surfaces/mcp/server.ts';
import { exampleSuite } from '../src/surfaces/mcp/tasks/save.ts';
import { connectAgent } from './support/agents.ts';
import { Evals, promptCase } from './support/evals.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

/**
 * A repeated call creates everything twice, so its answer names what the call has created: with one request
 * left in the rate limit, and whichever later step of the call fails.
 */
let service: TestService;
let evals: Evals;
let failedRun: string;

const burst = 10;
const selection = { toolsets: undefined, readOnly: false };
const inFleet = { project: 'Fleet' };

beforeAll(async () => {
  service = await startTestService({ env: { DRYDOCK_RATE_LIMIT: `1/${burst}` } });
  evals = await Evals.of(service, 'Fleet');
  const serverId = await evals.server({ name: 'demo' });
  const suiteId = await evals.suite({
    name: 'Failing',
    serverIds: [serverId],
    model: 'drydock/rehearsal',
    tests: [promptCase('Knows Zanzibar', 'List ships.', { type: 'responseContains', needle: 'Zanzibar' })],
  });
  failedRun = await evals.launch({ suiteId });
  await evals.follow(failedRun);
});
afterAll(() => dispose(service));

/** Arguments for every tool that writes, and a pattern that its answer must match. */
const writing: Record<string, { args: () => object; made: RegExp }> = {
  save_server: {
    args: () => ({ name: `saved ${Math.random()}`, url: 'http://127.0.0.1:9/mcp', ...inFleet }),
    made: /srv_\w{26}/,
  },
  call_server_tool: {
    args: () => ({ server: 'demo', tool: 'add_numbers', arguments: { numbers: [1, 2] }, ...inFleet }),
    made: /sum/,
  },
  save_suite: {
    args: () => ({
      file: { ...exampleSuite, suite: { id: `s-${String(Math.random()).slice(2)}`, name: 'Saved' } },
      ...inFleet,
    }),
    made: /suite_\w{26}/,
  },
  run_suite: { args: () => ({ suite: 'Failing', ...inFleet }), made: /run_\w{26}/ },
  rerun_failed: {
    args: () => ({ run: failedRun, ...inFleet }),
    made: /as run run_\w{26}|Run \d+/,
  },
  write_operation: {
    args: () => ({
      operation: 'createServerGroup',
      arguments: { projectId: 'fleet', body: { name: `group ${Math.random()}`, serverIds: ['demo'] } },
    }),
    made: /\w+_\w{26}/,
  },
};

test('the table below has every tool that writes', () => {
  const tools = catalogOf(selection).list.filter(({ annotations }) => !annotations?.readOnlyHint);
  expect(Object.keys(writing).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
});

/** The IDs of everything in the project, to detect what a call created. */
async function contents(): Promise<string[]> {
  const lists = ['servers', 'eval-suites', 'eval-runs', 'server-groups'];
  const key = await freshKey();
  const answers = await Promise.all(
    lists.map((list) => service.get(`${evals.project}/${list}?limit=100`, { key })),
  );
  return answers.flatMap(({ body }) => body.items.map(({ id }: { id: string }) => id));
}

async function freshKey(left = burst): Promise<string> {
  const { key } = await createKey(service.db, { name: 'agent' });
  for (let spent = left; spent < burst; spent++) await service.get('/me', { key });
  return key;
}

/** The answer of a call, and the IDs of created rows that it does not name. */
async function outcomeOf(name: string, call: () => Promise<{ text: string; isError: boolean }>) {
  const before = new Set(await contents());
  const { text, isError } = await call();
  const made = (await contents()).filter((id) => !before.has(id));
  return { text, isError, made: made.length, unnamed: made.filter((id) => !text.includes(id)) };
}

function namedIn(name: string) {
  return {
    isError: false,
    made: name === 'call_server_tool' ? 0 : 1,
    unnamed: [],
    text: expect.stringMatching(writing[name]?.made as RegExp),
  };
}

describe.each(Object.keys(writing))('%s', (name) => {
  test('is charged once: the last charge of a key is enough, and the next call is refused', async () => {
    const agent = await connectAgent(service, { key: await freshKey(1) });
    const outcome = await outcomeOf(name, () => agent.call(name, writing[name]?.args()));
    expect(outcome).toEqual(namedIn(name));
    expect(outcome.text).not.toContain('RATE_LIMITED');
    const refused = await agent.call(name, writing[name]?.args());
    expect(refused).toMatchObject({ isError: true });
    expect(refused.ours).toMatch(/^RATE_LIMITED: /);
  });

  test.each(Object.keys(faults))('names what it made when afterwards: %s', async (fault) => {
    const agent = await faultyAgent(fault);
    const outcome = await outcomeOf(name, () => agent(name, writing[name]?.args() ?? {}));
    expect(outcome).toEqual(namedIn(name));
  });
});

/** The responses to every request after the first write. */
const faults: Record<string, (ending: AbortController) => Response> = {
  'the rate limit is used up': () =>
    Response.json(
      { code: 'RATE_LIMITED', message: 'Rate limit exceeded (API key)', details: { retryAfterMs: 60_000 } },
      { status: 429, headers: { 'retry-after': '60' } },
    ),
  'the service is unavailable': () =>
    Response.json({ code: 'UNAVAILABLE', message: 'No database' }, { status: 503 }),
  'access is taken away': () => Response.json({ code: 'FORBIDDEN', message: 'No' }, { status: 403 }),
  'it is gone': () => Response.json({ code: 'NOT_FOUND', message: 'No such run' }, { status: 404 }),
  'another program answers': () => new Response('<html>'),
  'the connection breaks': () => {
    throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
  },
  'the service is shutting down': (ending) => {
    ending.abort();
    throw new DOMException('Aborted', 'AbortError');
  },
};

/** An agent whose requests to the service fail after the first write. */
function faultyAgent(fault: string) {
  const ending = new AbortController();
  let changed = false;
  return agentOver(ending, async (input, init) => {
    if (changed) return (faults[fault] as (typeof faults)[string])(ending);
    const response = await fetch(input, init);
    changed = response.ok && init?.method !== 'GET';
    return response;
  });
}

/** An agent as in `drydock mcp`, with another `fetch`. */
async function agentOver(ending: AbortController, way: typeof fetch) {
  const client = createClient({
    baseUrl: service.running.baseUrl,
    apiKey: await freshKey(),
    retries: 0,
    fetch: way,
  });
  const agent: Agent = {
    client,
    selection,
    version: 'test',
    bodyLimit: 1_000_000,
    ending: ending.signal,
    failed: () => {},
  };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createAgentServer(agent);
  await server.connect(far);
  const host = new Client({ name: 'test', version: '1' });
  await host.connect(near);
  onTestFinished(() => host.close());
  return async (name: string, args: object) => {
    const { content, isError = false } = (await host.callTool({
      name,
      arguments: args as Record<string, unknown>,
    })) as { content: { type: string; text?: string }[]; isError?: boolean };
    return { text: content.map(({ text = '' }) => text).join('\n'), isError };
  };
}

test('events that came before a stream breaks off are not lost', async () => {
  const agent = await agentOver(new AbortController(), async (input, init) => {
    const response = await fetch(input, init);
    const bytes = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    let sent = '';
    const body = new ReadableStream(
      {
        pull: async (controller) => {
          if (sent.includes('data: '))
            return controller.error(new TypeError('terminated', { cause: new Error('other side closed') }));
          const { value } = await bytes.read();
          sent += new TextDecoder().decode(value);
          controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  });
  const { text, isError } = await agent('read_operation', {
    operation: 'watchEvalRun',
    arguments: { projectId: evals.project.slice('/projects/'.length), runId: failedRun },
  });
  expect({ isError, text }).toMatchObject({ isError: false });
  expect(text).toMatch(/The stream failed after \d+ events/);
  expect(text).toContain('run.started');
});

test('many names in one call are looked up in one list', async () => {
  const tests = Array.from({ length: includedOperations + 10 }, (_, n) => promptCase(`Case ${n}`, 'Hi'));
  await evals.suite({
    name: 'Many',
    serverIds: [await evals.server({ name: 'many' })],
    model: 'drydock/rehearsal',
    tests,
  });
  let lists = 0;
  const agent = await agentOver(new AbortController(), (input, init) => {
    if (/\/cases\b/.test(input instanceof Request ? input.url : input.toString())) lists++;
    return fetch(input, init);
  });
  const body = { suiteId: 'Many', caseIds: tests.map(({ title }) => title) };
  const projectId = evals.project.slice('/projects/'.length);
  const { isError, text } = await agent('write_operation', {
    operation: 'createEvalRun',
    arguments: { projectId, body },
  });
  expect(isError ? text : '').toBe('');
  expect(lists).toBe(1);
});

test('a call that takes more operations than one charge includes is charged for each further one', async () => {
  const charges: string[] = [];
  const entrance = new Entrance({
    services: service.running.services,
    charge: (payerId) => void charges.push(payerId),
    used: () => {},
    tools: () => Promise.reject(new Error('unused')),
  }).forOneCall();
  const client = inProcessClient({
    entrance,
    credential: { kind: 'bearer', authorization: `Bearer ${await freshKey()}` },
    origin: () => service.origin,
  });
  for (let call = 0; call < includedOperations + 5; call++) await client.getMe();
  expect(charges).toHaveLength(1 + 5);
});
