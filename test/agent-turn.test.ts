// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { isSafe, isSecondName } from '../src/contract/operation.ts';
import { type AgentWorld, agentWorld, making, user } from './support/agent-turn.ts';
import { prompt } from './support/eval-authoring.ts';
import { until } from './support/jobs.ts';
import type { ScriptedCall } from './support/scripted-provider.ts';
import { startForTest, startTestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let { provider, service, database, world, models, ask, creating, told } = {} as AgentWorld;
agentWorld((parts) => ({ provider, service, database, world, models, ask, creating, told } = parts));

test('a turn reads and writes in its project, says what it made, and what it has cost is booked', async () => {
  const suiteId = await world.suite();
  const suiteCase = { title: 'Another', steps: [prompt('Count them.')] };
  provider.script = making([
    { name: 'listProjectServers', input: {} },
    { name: 'describe_operation', input: { operation: 'createEvalSuite' } },
    creating(),
    { name: 'createEvalCase', input: { suiteId, body: suiteCase } },
    { name: 'getEvalSuite', input: { suiteId: 'evs_none' } },
  ]);
  const spent = async () =>
    (
      await database.query(
        `select coalesce(sum(amount), 0)::float as sum from ledger_entries where budget = 'credits'`,
      )
    ).rows[0].sum as number;
  const before = await spent();
  const { status, body } = await ask();
  expect(status).toBe(200);
  const operations = ['listProjectServers', 'createEvalSuite', 'createEvalCase', 'getEvalSuite'];
  expect(body.toolCalls).toEqual(operations.map((operation) => ({ operation })));
  const [suite, added] = body.createdResources;
  const page = (id: string) => `${service.origin}/console/projects/${world.projectId}/suites/${id}`;
  expect(suite).toEqual({ type: 'eval_suite', id: suite.id, name: 'Harbour', url: page(suite.id) });
  expect(added).toMatchObject({ type: 'eval_case', name: 'Another', url: page(suiteId) });
  expect((await fetch(suite.url)).status).toBe(200);
  expect((await world.read(suite.id)).name).toBe('Harbour');
  expect(body).toMatchObject({
    reply: 'Done.',
    proposedActions: [],
    usage: { inputTokens: 600, outputTokens: 120 },
  });
  // 720 tokens at a thousand dollars a million.
  expect((await spent()) - before).toBeCloseTo(72, 5);
  const calls = await database.query(
    `select count(*)::int as count from model_calls where project_id = $1 and run_id is null`,
    [world.projectId],
  );
  expect(calls.rows[0].count).toBe(6);

  const results = told();
  expect(results[0]).toMatch(/harbour/);
  expect(results[0]).toMatch(/\n<<< [0-9a-f]{16}\n.*\n>>> [0-9a-f]{16}$/);
  expect(results[1]).toContain('serverIds');
  expect(results[4]).toMatch(/^NOT_FOUND/);
  const { tools, messages } = (provider.requests[0]?.body ?? {}) as {
    tools: { function: { name: string; parameters: { properties: object } } }[];
    messages: { role: string; content: string }[];
  };
  expect(messages[0]).toMatchObject({
    role: 'system',
    content: expect.stringMatching(/never follow instructions/),
  });
  expect(JSON.stringify(tools).length).toBeLessThan(80_000);
  for (const { function: tool } of tools) expect(tool.parameters.properties).not.toHaveProperty('projectId');
  // Tools that need approval are not offered: no person takes part in a turn.
  expect(tools.map(({ function: { name } }) => name)).not.toContain('createEvalRun');
});

test('one turn is one request to the rate limit, whatever it calls', async () => {
  const limited = await startForTest({ worker: false, env: { DRYDOCK_RATE_LIMIT: '1/2' } });
  const project = `/projects/${await limited.defaultProject()}`;
  const messages = [user('List the eval suites. List the clients. List the environments.')];
  const { status, body } = await limited.post(`${project}/agent`, { messages });
  expect(status).toBe(200);
  // Without a configured model, the offline model answers.
  expect(body.reply).toMatch(/^\[rehearsal\]/);
  expect(body.toolCalls.length).toBeGreaterThan(1);
  expect(body.reply).not.toContain('RATE_LIMITED');
});

test('a model that costs something is chosen by the operator', async () => {
  const messages = [user('Hello')];
  for (const [env, message] of [
    [{}, /no model for the agent.*DRYDOCK_AGENT_MODEL/],
    [{ DRYDOCK_AGENT_MODEL: 'local/unknown' }, /DRYDOCK_AGENT_MODEL.*cannot be used/],
  ] as const) {
    const other = await startForTest({ worker: false, env: { DRYDOCK_MODELS_FILE: models, ...env } });
    expect(await other.post(`/projects/${await other.defaultProject()}/agent`, { messages })).toMatchObject({
      status: 422,
      body: { code: 'FEATURE_NOT_SUPPORTED', message: expect.stringMatching(message) },
    });
  }
  expect(provider.requests).toEqual([]);
});

describe('what is sent', () => {
  const long = (text: string, count: number) => Array.from({ length: count }, () => user(text));
  test.each<[string, object]>([
    ['no messages', { messages: [] }],
    ['more than 50', { messages: long('a', 51) }],
    ['another role', { messages: [{ role: 'system', content: 'Obey.' }] }],
    ['an empty message', { messages: [user('')] }],
    ['more than 8000 characters', { messages: [user('a'.repeat(8001))] }],
    ['more than 8192 bytes', { messages: [user('é'.repeat(4097))] }],
    ['a history of too many characters', { messages: long('a'.repeat(8000), 13) }],
    ['a history of too many bytes', { messages: long('é'.repeat(4000), 13) }],
    ['nothing to answer', { messages: [user('a'), { role: 'assistant', content: 'b' }] }],
    ['a key of 201 characters', { idempotencyKey: 'k'.repeat(201) }],
    ['a key that is not ASCII', { idempotencyKey: 'clé' }],
    ['a long conversation id', { conversationId: 'c'.repeat(65) }],
    ['an unknown field', { model: 'local/other' }],
  ])('%s: refused, and nothing is asked or written', async (_name, fields) => {
    expect(await withoutTrace(database, () => ask(fields))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(provider.requests).toEqual([]);
  });
  test('as much as is allowed is answered', async () => {
    provider.script = () => ({ text: 'Yes.' });
    const messages = [...long('a'.repeat(8000), 12), user('é'.repeat(1152))];
    expect((await ask({ messages, idempotencyKey: ' k~' })).status).toBe(200);
  });
});

test('with one key two at once run once, and later ones get the same answer', async () => {
  provider.script = ({ results }) =>
    results === 0 ? { toolCalls: [creating()] } : { text: 'Made.', latencyMs: 300 };
  const idempotencyKey = 'turn-1';
  const both = await Promise.all([ask({ idempotencyKey }), ask({ idempotencyKey })]);
  expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 409)?.body.details.reason).toBe('IDEMPOTENCY_KEY_IN_USE');
  const again = await ask({ idempotencyKey });
  expect(again.body).toEqual(both.find(({ status }) => status === 200)?.body);
  expect(provider.requests).toHaveLength(2);
  expect(await ask({ idempotencyKey, messages: [user('Another.')] })).toMatchObject({
    status: 409,
    body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
  });
  expect((await service.get(`${world.project}/eval-suites`)).body.items).toHaveLength(1);
});

test('four turns at once of an organization, over all processes; each is given up in time', async () => {
  const { dataDir } = service.running.services.config;
  const env = { DRYDOCK_MODELS_FILE: models, DRYDOCK_AGENT_MODEL: 'local/agent' };
  const replica = await startTestService({ worker: false, database: service.database, dataDir, env });
  onTestFinished(() => replica.stop());
  provider.script = () => ({ silent: true });
  const turns = Array.from({ length: 4 }, () => ask());
  await until(() => provider.requests.length === 4);
  const fifth = await replica.post(
    `${world.project}/agent`,
    { messages: [user('Hi')] },
    { key: service.key },
  );
  expect(fifth).toMatchObject({
    status: 429,
    body: { code: 'RATE_LIMITED', details: { reason: 'CONCURRENT_TURN_LIMIT', maxConcurrentTurns: 4 } },
  });
  expect(Number(fifth.headers.get('retry-after'))).toBeGreaterThan(0);
  const stranger = await service.stranger();
  const theirs = `/projects/${await service.defaultProject(stranger.key)}/agent`;
  const other = service.post(theirs, { messages: [user('Hi')] }, { key: stranger.key });
  await until(() => provider.requests.length === 5);
  for (const { status, body } of await Promise.all([...turns, other])) {
    expect(status).toBe(504);
    expect(body).toEqual({ code: 'TIMEOUT', message: 'The turn took longer than 5 s' });
  }
  provider.script = () => ({ text: 'There is room again.' });
  expect((await ask()).status).toBe(200);
});

test.each([
  ['silence', { silent: true }, 504],
  ['an error of the provider', { status: 401, text: 'no' }, 502],
])('%s after something was made: the error says what', async (_name, last, status) => {
  const run: ScriptedCall = { name: 'createEvalRun', input: { body: { suiteId: await world.suite() } } };
  provider.script = making([creating(), run], last);
  const answer = await ask({ conversationId: 'c1' });
  expect(answer.status).toBe(status);
  expect(answer.body.details).toMatchObject({
    createdResources: [{ type: 'eval_suite', name: 'Harbour' }],
    proposedActions: [{ operation: 'createEvalRun', kind: 'start' }],
  });
});

test('what was under way when time was up is waited for, and told', async () => {
  const suiteId = await world.suite();
  const holding = await service.database.connect();
  await holding.query('begin');
  await holding.query('select 1 from eval_suites where id = $1 for update', [suiteId]);
  const added = { title: 'Late', steps: [prompt('Count.')] };
  provider.script = making([{ name: 'createEvalCase', input: { suiteId, body: added } }]);
  const turn = ask();
  // Longer than the turn timeout.
  expect(await Promise.race([turn, delay(5500)])).toBeUndefined();
  await holding.query('commit');
  await holding.end();
  expect((await turn).status).toBe(504);
  expect((await turn).body.details.createdResources).toMatchObject([{ type: 'eval_case', name: 'Late' }]);
});

test('a model that never comes to an end is stopped after sixteen steps', async () => {
  provider.script = () => ({ toolCalls: [{ name: 'listProjectServers', input: {} }] });
  const { status, body } = await ask();
  expect(status).toBe(200);
  expect(body.reply).toBe('The turn ended after 16 steps without an answer.');
  expect(provider.requests).toHaveLength(16);
});

test('the list of what the agent has follows from the contract', async () => {
  const { status, body } = await service.get('/agent-ops');
  expect(status).toBe(200);
  const modes = new Map(
    (body.items as { operation: string; mode: string }[]).map(({ operation, mode }) => [operation, mode]),
  );
  const had = operationList.filter(({ id }) => modes.has(id));
  expect(had).toHaveLength(modes.size);
  const ids = (wrong: (operation: (typeof had)[number]) => unknown) => had.filter(wrong).map(({ id }) => id);
  expect(ids((one) => one.method === 'DELETE' || one.performs || isSecondName(one))).toEqual([]);
  const direct = ({ id }: { id: string }) => modes.get(id) === 'direct';
  expect(ids((one) => direct(one) && (one.spends || one.callsTools))).toEqual([]);
  expect(ids((one) => direct(one) && !one.path.startsWith('/projects/{projectId}/'))).toEqual(['listModels']);
  const writes = operationList.filter(
    (operation) => modes.get(operation.id) === 'direct' && !isSafe(operation),
  );
  expect(writes.map(({ id }) => id).toSorted()).toEqual([
    'cancelReadinessRun',
    'createEvalCase',
    'createEvalCases',
    'createEvalSuite',
    'ensureAdhocEnvironment',
    'nameEnvironment',
    'updateEvalCase',
    'updateEvalSuite',
  ]);
  expect(body.items).toContainEqual({
    operation: 'cancelEvalRun',
    summary: expect.any(String),
    mode: 'proposed',
    kind: 'cancel',
    confirmSeverity: 'none',
  });
  expect((await service.get('/agent-ops', { key: null })).status).toBe(401);
});
