// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { watchWhile } from './support/bystander.ts';
import { type Evals, executing, promptCase } from './support/evals.ts';
import { expectConsistent } from './support/run-facts.ts';
import {
  callThenAnswer,
  type Reply,
  type Script,
  type ScriptedProvider,
} from './support/scripted-provider.ts';
import { type TestService } from './support/service.ts';
import { slowdown } from './support/slowdown.ts';
import { answerLegacy, type Exchange, sendResult } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

/** Hostile servers and models: trials end with a status, runs are decided, and other requests stay fast. */

const mebibyte = 1024 * 1024;
const odd = 'a\u0000b\ud800c';

interface Attack {
  tools?: object[];
  /** The text of the result of a call; undefined never answers. */
  result?: () => string | undefined | Promise<string | undefined>;
  script?: Script;
  status: string | RegExp;
  error?: RegExp;
  /** Runs in the long lane only. */
  long?: true;
}

/** On a busy machine the trial may time out. */
const completedOrLate = /^(completed|timed_out)$/;

const any = { name: 'any', inputSchema: { type: 'object' } };
const calls: Script = callThenAnswer({ name: 'any', input: {} });
const text = (value: string): string => JSON.stringify({ content: [{ type: 'text', text: value }] });
const large = text('x'.repeat(31 * mebibyte));
const always = (reply: (n: number) => Reply): Script => {
  let n = 0;
  return () => reply(n++);
};
const raw = (usage: string): string =>
  `{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}],"usage":${usage}}`;

const attacks: Record<string, Attack> = {
  'a result of 31 MB': { result: () => large, status: 'completed' },
  'a result of 100,000 elements': {
    result: () => `{"content":[${'{},'.repeat(99_999)}{}]}`,
    status: 'completed',
  },
  'a result of 20,000 levels': {
    result: () => `{"content":[],"structuredContent":{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    status: 'completed',
  },
  'a result with keys and characters that cannot be stored': {
    result: () =>
      `{"content":[{"type":"text","text":${JSON.stringify(odd)}}],"structuredContent":{"__proto__":{"polluted":1},${JSON.stringify(odd)}:${JSON.stringify(odd)}}}`,
    status: 'completed',
  },
  'an error with characters that cannot be stored': {
    result: () =>
      `{"isError":true,"content":[{"type":"text","text":${JSON.stringify(odd)}},null,7,{"type":9}]}`,
    status: 'completed',
  },
  'a result that is no result': { result: () => '{"content":"x"}', status: 'completed' },
  'no answer': { result: () => undefined, status: 'completed' },
  'an answer after the trial was given up': {
    script: ({ results }) => ({ toolCalls: [{ name: 'any', input: { results } }] }),
    result: () => delay(1_200).then(() => text('late')),
    status: 'timed_out',
    error: /took longer than 3 s/,
  },
  '6 MB of declarations': {
    tools: Array.from({ length: 60 }, (_, n) => ({
      ...any,
      name: `t${n}`,
      description: 'd'.repeat(100_000),
    })),
    status: 'setup_failed',
    error: /The tool definitions are 6 MiB/,
  },
  '40 MB of declarations': {
    tools: Array.from({ length: 400 }, (_, n) => ({
      ...any,
      name: `t${n}`,
      description: 'd'.repeat(100_000),
    })),
    status: /^(setup_failed|timed_out)$/,
  },
  '5,000 tools': {
    tools: Array.from({ length: 5_000 }, (_, n) => ({ ...any, name: `any${n === 0 ? '' : n}` })),
    status: 'completed',
  },
  'names that cannot be stored, and descriptions': {
    tools: [
      { ...any, name: odd, description: odd },
      { ...any, name: odd },
      { ...any, name: '__proto__' },
      { ...any, name: 'x'.repeat(100_000) },
      { ...any, name: '' },
      null as never,
      7 as never,
      { name: 9 },
      any,
    ],
    script: ({ body, results }) =>
      results > 0
        ? { text: 'Done.' }
        : {
            toolCalls: (body.tools as { function: { name: string } }[]).map(({ function: { name } }) => ({
              name,
              input: {},
            })),
          },
    status: 'completed',
  },
  'a tool named like one of ours': {
    tools: [any, { ...any, name: 'listSkills' }, { ...any, name: 'loadSkill' }],
    script: callThenAnswer({ name: 'listSkills', input: {} }),
    status: 'completed',
  },
  'a model that wants 1,000 calls in a step': {
    script: ({ results }) =>
      results > 0
        ? { text: 'Done.' }
        : { toolCalls: Array.from({ length: 1_000 }, (_, n) => ({ name: 'any', input: { n } })) },
    status: 'completed',
  },
  'a model that never comes to an end': {
    script: always((n) => ({ toolCalls: [{ name: 'any', input: { n } }] })),
    status: 'failed',
    error: /step limit/,
  },
  'a model that gives every call the same id': {
    script: ({ results }) =>
      results > 4
        ? { text: 'Done.' }
        : {
            toolCalls: [
              { name: 'any', input: {}, id: 'same' },
              { name: 'any', input: {}, id: 'same' },
            ],
          },
    status: 'completed',
  },
  'an answer of the model of 17 MiB': {
    script: () => ({ text: 'x'.repeat(17 * mebibyte) }),
    status: 'failed',
    error: /larger than 16 MiB/,
  },
  'twenty steps of the model of 1 MB each': {
    script: always((n) => ({ text: 'x'.repeat(mebibyte), toolCalls: [{ name: 'any', input: { n } }] })),
    status: completedOrLate,
  },
  'twenty steps with 6 MB of arguments each': {
    script: always((n) => ({
      toolCalls: Array.from({ length: 64 }, () => ({ name: 'any', input: { n, x: 'x'.repeat(95_000) } })),
    })),
    status: completedOrLate,
    long: true,
  },
  'twenty steps with 64 results of 250 kB each': {
    result: () => text('y'.repeat(250_000)),
    script: always((n) => ({ toolCalls: Array.from({ length: 64 }, () => ({ name: 'any', input: { n } })) })),
    status: completedOrLate,
    long: true,
  },
  'arguments and names that cannot be stored': {
    script: ({ results }) =>
      results > 0
        ? { text: odd }
        : {
            toolCalls: [
              { name: odd, input: {} },
              { name: '__proto__', input: {} },
              {
                name: 'any',
                input: `{"__proto__":{"polluted":1},${JSON.stringify(odd)}:${JSON.stringify(odd)}}`,
              },
              { name: 'any', input: `{"deep":${'['.repeat(5_000)}${']'.repeat(5_000)}}` },
            ],
          },
    status: 'completed',
  },
  'usage below nothing': {
    script: () => ({ raw: raw('{"prompt_tokens":-1,"completion_tokens":-1,"total_tokens":-2}') }),
    status: 'completed',
  },
  'usage beyond all numbers': {
    script: () => ({ raw: raw('{"prompt_tokens":1e300,"completion_tokens":1.5,"total_tokens":1e300}') }),
    status: 'completed',
  },
  'usage just within numbers': {
    script: () => ({
      raw: raw('{"prompt_tokens":9007199254740991,"completion_tokens":9007199254740991,"total_tokens":1}'),
    }),
    status: 'completed',
  },
};

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let target: Awaited<ReturnType<typeof listen>>;
let current: Attack;

executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    target = await listen(async (request, response) => {
      const { rpc } = await readRpc(request);
      await attack({ request, response, rpc, path: '', origin: '' });
    });
  },
  { env: { DRYDOCK_EVAL_TRIAL_TIMEOUT: '3' }, keep: 0 },
);
afterAll(() => target?.stop());

async function attack(exchange: Exchange): Promise<void> {
  const { rpc, response } = exchange;
  if (rpc?.method === 'tools/list') return sendResult(exchange, { tools: current.tools ?? [any] });
  if (rpc?.method !== 'tools/call') return answerLegacy(exchange);
  const result = current.result ? await current.result() : text('done');
  if (result === undefined) return;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(rpc.id)},"result":${result}}`);
}

describe.each(Object.keys(attacks))('%s', (name) => {
  const tags = attacks[name]?.long ? ['long'] : [];
  test('is withstood', { timeout: 30_000, retry: 1, tags }, async () => {
    expect.hasAssertions();
    await withstand(name);
  });
});

const tried: string[] = [];

async function withstand(name: string): Promise<void> {
  tried.push(name);
  current = attacks[name] as Attack;
  provider.script = current.script ?? calls;
  const server = await evals.server({ url: `http://127.0.0.1:${target.port}/mcp`, timeout: 1_500 });
  const suiteId = await evals.suite({ serverIds: [server], tests: [promptCase('Goes', 'Go')] });
  const logged = service.logs.length;
  const before = slowdown();
  const memory = process.memoryUsage().rss;
  const runId = await evals.launch({ suiteId });
  const { longest } = await watchWhile(`${service.running.baseUrl}/me`, service.key, evals.follow(runId));
  // The attacker and the model run in this process too, so the limits are generous.
  expect(longest / Math.max(before, slowdown())).toBeLessThan(2_000);
  expect((process.memoryUsage().rss - memory) / mebibyte).toBeLessThan(1_200);
  expect((await evals.read(runId)).status).toMatch(/^(completed|failed)$/);
  const { items } = await evals.read(runId, '/iterations');
  expect(items).toMatchObject([{ status: expect.stringMatching(current.status), attempts: 1 }]);
  expect(items[0].error ?? '').toMatch(current.error ?? '');
  const trace = await service.get(`${evals.project}/eval-runs/${runId}/iterations/${items[0].id}/trace`);
  expect(trace.status).toBe(name.endsWith('of declarations') ? 404 : 200);
  expect(
    (await service.get(`${evals.project}/eval-runs/${runId}/iterations/${items[0].id}/steps`)).status,
  ).toBe(200);
  await expectConsistent(evals, runId);
  expect(service.logs.slice(logged).filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
}

test('all of it can be exported', async () => {
  const projectId = evals.project.split('/').at(-1);
  const seen = new Set<string>();
  for (let cursor = '', complete = false; !complete; ) {
    const { status, body } = await service.get(
      `/trace-exports/otlp?projectId=${projectId}&includeContent=true${cursor}`,
    );
    expect(status).toBe(200);
    for (const { scopeSpans } of body.resourceSpans) seen.add(scopeSpans[0].spans[0].traceId as string);
    cursor = `&cursor=${encodeURIComponent(body.nextCursor as string)}`;
    complete = body.complete as boolean;
  }
  expect(seen.size).toBeGreaterThanOrEqual(tried.filter((name) => !name.endsWith('of declarations')).length);
});
