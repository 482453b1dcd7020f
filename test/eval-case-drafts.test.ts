import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { setPlan } from '../src/domain/operator/organizations.ts';
import { definePlan } from '../src/domain/operator/plans.ts';
import { authoring, EvalsWorld, prompt, vocabulary2 } from './support/eval-authoring.ts';
import { folderOf } from './support/folder.ts';
import { providerForTest } from './support/models.ts';
import { startForTest, type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';
import { answerLegacy, initializeResult, sendResult } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;
let suiteId: string;

authoring(async (parts) => {
  ({ service, database, world } = parts);
  suiteId = await world.suite();
});

const draft = (body?: object, options?: object) =>
  service.post(world.at(suiteId, '/cases/generate'), body, options);
const spent = async (): Promise<number> =>
  (
    await database.query<{ count: number }>(
      `select count(*)::int as count from ledger_entries where budget = 'generationsPerDay'`,
    )
  ).rows[0]?.count ?? 0;

describe('drafts without a language model', () => {
  test('are made of what the servers declare, as many of each sort as asked for, and stored', async () => {
    const caseMix = { simple: 2, multiTool: 1, multiTurn: 1, complex: 1, negative: 2 };
    const caseModels = [{ model: 'drydock/rehearsal' }];
    const { status, body } = await draft({ caseMix, caseModels, mode: 'negative' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ generationModel: 'drydock/rehearsal', counts: { normal: 5, negative: 2 } });
    expect(body).not.toHaveProperty('skipped');
    const kinds = body.created.map(({ steps }: { steps: { kind: string }[] }) =>
      steps.map(({ kind }) => kind[0]).join(''),
    );
    expect(kinds).toEqual(['pa', 'pa', 'paa', 'papa', 'papapa', 'p', 'p']);
    for (const one of body.created) expect(one.models).toEqual(caseModels);
    expect(body.created[0].steps[1].assertion).toEqual({
      type: 'toolCalledAtLeastOnce',
      toolName: 'add_numbers',
    });
    expect((await world.cases(suiteId)).slice(1)).toEqual(body.created);
    expect((await world.read(suiteId)).revisionNumber).toBe(2);
    const [latest] = (await service.get(world.at(suiteId, '/revisions'))).body.items;
    expect(latest.changedFields).toEqual(['cases']);
  });

  test('are three simple ones unless told, or three negative ones', async () => {
    expect((await draft()).body.counts).toEqual({ normal: 3, negative: 0 });
    expect((await draft({ mode: 'negative' })).body.counts).toEqual({ normal: 0, negative: 3 });
    // Drafts that exist already are skipped as duplicates.
    const { body } = await draft({ mode: 'negative' }, vocabulary2);
    expect(body).toMatchObject({ created: [], counts: { normal: 0, negative: 0 } });
    expect(body.skipped).toHaveLength(3);
    expect(body.skipped[0].reason).toMatch(/same title and steps/);
    expect((await world.read(suiteId)).revisionNumber).toBe(3);
  });

  test('use the servers that are named, or the environment', async () => {
    const bare = await service.post(`${world.project}/servers`, {
      name: 'gone',
      url: 'http://127.0.0.1:1/mcp',
    });
    await world.patch(suiteId, { environment: { servers: [bare.body.id] } });
    expect(await withoutTrace(database, () => draft())).toMatchObject({ status: 502 });
    expect((await draft({ servers: ['harbour'], caseMix: { simple: 1 } })).body.counts.normal).toBe(1);
    expect(await draft({ servers: ['nobody'] })).toMatchObject({ status: 404 });
    const environmentId = await world.environment();
    expect(await draft({ environmentId })).toMatchObject({
      status: 400,
      body: { details: { reason: 'ENVIRONMENT_NOT_ATTACHED' } },
    });
    await world.patch(suiteId, { environmentIds: [environmentId] });
    // A suite with environments ignores the named servers.
    const mix = { caseMix: { complex: 1 }, servers: ['gone'] };
    expect((await draft({ ...mix, environmentId })).body.counts.normal).toBe(1);
  });

  test.each<[object, RegExp]>([
    [{ caseMix: { simple: 11 } }, /^caseMix\.simple: /],
    [{ caseMix: { easy: 1 } }, /easy/],
    [{ mode: 'odd' }, /^mode: /],
    [{ servers: [] }, /^servers: /],
    [{ caseModels: [{}] }, /^caseModels\.0\.model: Required/],
    [{ idempotencyKey: '' }, /^idempotencyKey: /],
  ])('%j is refused, and nothing is spent', async (body, message) => {
    expect(await withoutTrace(database, () => draft(body))).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
  });

  test('come again with their key, and nothing is made or spent twice', async () => {
    const caseMix = { simple: 1, negative: 1 };
    for (const [options, fields] of [
      [{ headers: { 'idempotency-key': 'k1' } }, {}],
      [{ headers: { 'x-mcpjam-idempotency-key': 'k2' } }, {}],
      [{}, { idempotencyKey: 'k3' }],
    ] as const) {
      suiteId = await world.suite();
      const before = await spent();
      const first = await draft({ caseMix, ...fields }, options);
      expect(first.body.created).toHaveLength(2);
      expect(await draft({ caseMix, ...fields }, options)).toMatchObject({ status: 200, body: first.body });
      expect(await world.cases(suiteId)).toHaveLength(3);
      expect(await spent()).toBe(before + 1);
      expect(await draft({ ...fields }, options)).toMatchObject({
        status: 409,
        body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
      });
    }
  });

  test('are refused when the quota of the day is used up', async () => {
    await definePlan(service.db, 'none', { generationsPerDay: '0' });
    await definePlan(service.db, 'all', { generationsPerDay: 'unlimited' });
    await setPlan(service.db, undefined, 'none');
    onTestFinished(() => setPlan(service.db, undefined, 'all'));
    const answer = await withoutTrace(database, () => draft());
    expect(answer).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', details: { limit: 'generationsPerDay', allowedValue: 0 } },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('survive what a server may declare', async () => {
    const tools: unknown[] = [
      null,
      'tool',
      {},
      { name: 5 },
      { name: '' },
      { name: 'nul\0l' },
      { name: '\ud800' },
      { name: 'line\nbreak' },
      { name: ' padded ' },
      { name: 'n'.repeat(400) },
      { name: 'text', inputSchema: 'schema', description: 5 },
      { name: 'nulls', inputSchema: { properties: null, required: ['a', 5, null] } },
      {
        name: 'odd',
        description: `\0 \ud800 ${'long '.repeat(10_000)}`,
        inputSchema: {
          properties: {
            'p\0': { enum: ['\0', { a: '\udfff' }] },
            q: null,
            r: { type: ['string'], enum: 'x' },
          },
          required: ['p\0', 'q', 'r', '__proto__'],
        },
      },
    ];
    const { port, stop } = await listen(async (request, response) => {
      const { rpc } = await readRpc(request);
      const exchange = { request, response, rpc, path: '/', origin: '' };
      if (rpc?.method === 'initialize') return sendResult(exchange, initializeResult());
      if (rpc?.method === 'tools/list') return sendResult(exchange, { tools });
      return answerLegacy(exchange);
    });
    onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/mcp`;
    await service.post(`${world.project}/servers`, { name: 'odd', url });
    const answer = await draft({ servers: ['odd'], caseMix: { simple: 10, complex: 2, multiTool: 2 } });
    expect(answer.status).toBe(200);
    const named = new Set(
      answer.body.created.flatMap(({ steps }: { steps: { assertion?: { toolName: string } }[] }) =>
        steps.flatMap(({ assertion }) => assertion?.toolName ?? []),
      ),
    );
    expect(named).toEqual(new Set(['text', 'nulls', 'odd']));
  });
});

describe('drafts of a language model', () => {
  test('are checked like those of anybody, and what cannot be used is said', async () => {
    const written = [
      { title: 'Good', prompts: ['List them'], expectedTools: [['list_ships']] },
      { title: 'Two\0turns', prompts: ['First', 'Then \0'], expectedTools: [[], ['inspect_hull']] },
      { title: 'None fits', prompts: ['Hello'], expectedTools: [['list_ships']], negative: true },
      { title: 'Unknown', prompts: ['x'], expectedTools: [['fly']] },
      { title: 'No prompts', prompts: [] },
      { title: 'Good', prompts: ['List them'], expectedTools: [['list_ships']] },
      'text',
    ];
    const provider = await providerForTest(() => ({ text: `Here: ${JSON.stringify({ cases: written })}` }));
    const models = {
      builtInModels: false,
      connections: [{ name: 'local', wire: 'openai-chat', baseUrl: provider.url }],
      models: [{ id: 'local/writer', connection: 'local', prices: { input: 1, output: 1 } }],
    };
    const file = join(await folderOf({ 'models.json': JSON.stringify(models) }), 'models.json');
    const other = await startForTest({ worker: false, env: { DRYDOCK_MODELS_FILE: file } });
    const there = await EvalsWorld.make(other);
    const suite = await there.suite();
    const path = there.at(suite, '/cases/generate');
    const { status, body } = await other.post(path, { caseMix: { simple: 1 }, varyUserStyles: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      generationModel: 'local/writer',
      created: [
        { title: 'Good', steps: [prompt('List them'), { assertion: { toolName: 'list_ships' } }] },
        { title: 'Two\ufffdturns' },
        { title: 'None fits', isNegative: true, steps: [prompt('Hello')] },
      ],
      counts: { normal: 2, negative: 1 },
    });
    expect(body.skipped.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining('"fly"'),
      expect.stringMatching(/^Not a case: prompts/),
      expect.stringMatching(/^Not a case: /),
      expect.stringContaining('same title and steps'),
    ]);
    expect(provider.requests[0]?.body.messages.at(-1).content).toMatch(/Vary how/);
    provider.script = () => ({ text: 'I would rather not.' });
    expect((await other.post(path, {})).body).toMatchObject({
      created: [],
      skipped: [{ reason: 'The model did not answer with a list of cases' }],
    });
    provider.script = () => ({ status: 401, text: '' });
    expect(await other.post(path, {})).toMatchObject({
      status: 502,
      body: { code: 'SERVER_UNREACHABLE', message: expect.stringMatching(/drafting model failed/) },
    });
  });
});
