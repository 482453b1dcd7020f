import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EvalsWorld, prompt } from './support/eval-authoring.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;
let suiteId: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  database = await service.database.connect();
  world = await EvalsWorld.make(service);
  suiteId = await world.suite();
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

const shown = { role: 'advisory' };
const countable = { patterns: ['a+'], flags: 'i', path: '/city', min: 0, max: 2 };

/** For each kind: parameters that are accepted, parameters that are refused, and the path of the problem. */
const kinds: Record<string, [good: object, bad: object, path: string]> = {
  toolCalledWith: [
    { toolName: 't', args: { args: { a: 1 }, argumentMatching: 'exact' }, minCount: 2 },
    { toolName: 't', args: { args: 1 } },
    'args.args',
  ],
  toolCalledAtLeastOnce: [{ toolName: 't' }, {}, 'toolName'],
  toolNeverCalled: [{ toolName: 't' }, { toolName: ' ' }, 'toolName'],
  firstToolWas: [{ toolName: 't' }, { toolName: 5 }, 'toolName'],
  onlyToolsCalled: [{ toolNames: [] }, { toolNames: [''] }, 'toolNames.0'],
  toolCalledBefore: [{ toolName: 't', beforeToolName: 'u' }, { toolName: 't' }, 'beforeToolName'],
  toolCallCountUnder: [{ count: 4, toolName: 't' }, { count: 0 }, 'count'],
  noRepeatedIdenticalCall: [{ ...shown, toolName: 't' }, {}, 'role'],
  argumentsMatchToolSchema: [{ toolName: 't' }, { toolName: null }, 'toolName'],
  toolInputMatches: [{ toolName: 't', ...countable }, { toolName: 't', patterns: ['('] }, 'patterns.0'],
  toolResultMatches: [countable, { ...countable, max: undefined }, 'max'],
  noDeprecatedToolCalled: [shown, { role: 'gating' }, 'role'],
  noDestructiveToolCalled: [{ role: 'gating' }, { role: 'must' }, 'role'],
  noToolErrors: [{ ...shown, severity: 'warn' }, { severity: 'warn' }, 'severity'],
  toolErrorNamesInput: [shown, {}, 'role'],
  toolLatencyUnder: [{ ms: 5 }, { ms: 0.5 }, 'ms'],
  toolResultContains: [{ needle: 'x', caseSensitive: true }, { needle: 'x'.repeat(1001) }, 'needle'],
  toolResultMatchesSchema: [
    { schema: { type: 'object' } },
    { schema: { description: 'x'.repeat(16 * 1024) } },
    'schema',
  ],
  toolResultSizeUnder: [{ maxBytes: 1 }, { maxBytes: '1' }, 'maxBytes'],
  fullPageHasContinuation: [shown, {}, 'role'],
  responseContains: [{ needle: 'x' }, { needle: '' }, 'needle'],
  responseMatches: [{ pattern: '^a|b$' }, { pattern: '[' }, 'pattern'],
  responseCloseTo: [
    { reference: 'x', maxDistance: 0.2, normalizeWhitespace: true },
    { reference: 'x', maxDistance: 2 },
    'maxDistance',
  ],
  finalAssistantMessageNonEmpty: [{}, { severity: 'error' }, 'severity'],
  noEndingQuestion: [shown, {}, 'role'],
  tokenBudgetUnder: [{ tokens: 1 }, { tokens: -1 }, 'tokens'],
  turnCountUnder: [{ turns: 1 }, {}, 'turns'],
  widgetRendered: [{ toolName: 't' }, { toolName: '' }, 'toolName'],
  widgetRenderLatencyUnder: [{ ms: 1 }, { toolName: 't' }, 'ms'],
  widgetNoConsoleErrors: [{}, { toolName: 'x'.repeat(301) }, 'toolName'],
  toolDescriptionsPresent: [{ minLength: 20 }, { minLength: 0 }, 'minLength'],
  toolAnnotationsPresent: [
    { require: ['readOnlyHint'] },
    { require: ['readOnlyHint', 'readOnlyHint'] },
    'require',
  ],
  toolNamesUnique: [{}, { role: null }, 'role'],
  noDeprecatedToolExposed: [shown, {}, 'role'],
  toolInputSchemasWellFormed: [{}, { role: 1 }, 'role'],
  toolOutputSchemasPresent: [{}, { severity: 'warn', role: 'gating' }, 'severity'],
};
const every = Object.entries(kinds).map(([type, row]) => [type, ...row] as const);

const withCheck = (check: object) => world.addCase(suiteId, { checks: { list: [check] } });
const withAssertion = (assertion: object) =>
  world.addCase(suiteId, { steps: [prompt(), { id: '2', kind: 'assert', assertion }] });

describe('a check', () => {
  test('of every kind there is has its row here', async () => {
    const { body } = await service.get('/openapi.json');
    const { oneOf } = body.components.schemas.EvalAssertion;
    const declared = oneOf.map(
      ({ properties }: { properties: { type: { const: string } } }) => properties.type.const,
    );
    expect(declared.toSorted()).toEqual(Object.keys(kinds).toSorted());
  });

  test.each(every)('%s is kept as it is written', async (type, good) => {
    const check = { type, ...good };
    expect((await withCheck(check)).body.checks.list).toEqual([check]);
    expect((await withAssertion(check)).body.steps[1].assertion).toEqual(check);
    const { body } = await world.settings(suiteId, { checks: [check] });
    expect(body.settings.checks).toEqual([check]);
  });

  test.each(every)('%s is refused where it is wrong, with the place', async (type, _, bad, path) => {
    const check = { type, ...bad };
    for (const [ask, where] of [
      [() => withCheck(check), 'checks.list.0.'],
      [() => withAssertion(check), 'steps.1.assertion.'],
      [() => world.settings(suiteId, { checks: [check] }), 'settings.checks.0.'],
    ] as const) {
      const { status, body } = await withoutTrace(database, ask);
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(body.message).toMatch(new RegExp(`^${where}${path}: [A-Z]`));
      // No raw messages of the parser.
      expect(body.message).not.toMatch(/Invalid input|undefined|received/);
    }
    const more = await withCheck({ type, ...kinds[type]?.[0], nobody: 1 });
    expect(more).toMatchObject({ status: 400, body: { message: expect.stringContaining('nobody') } });
  });

  test.each([[{}], [{ type: 'noSuchCheck' }], [{ type: 5 }]])('%j is of no kind', async (check) => {
    expect(await withCheck(check)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^checks\.list\.0\.type: .*"noToolErrors"/) },
    });
  });
});

describe('steps', () => {
  const steps = (...list: unknown[]) => world.addCase(suiteId, { steps: list });
  const target = { role: { role: 'button', name: 'Go', exact: true }, nth: 1 };
  const interact = (action: unknown) => ({ id: '2', kind: 'interact', toolName: 't', action });
  const assert = (assertion: unknown) => ({ id: '2', kind: 'assert', assertion });
  const call = (fields: object = {}) => ({
    id: '2',
    kind: 'toolCall',
    serverName: 'harbour',
    toolName: 't',
    arguments: {},
    ...fields,
  });

  test.each([
    [interact({ kind: 'click', target, clickType: 'double' })],
    [interact({ kind: 'type', target: { testId: 'x' }, text: '' })],
    [interact({ kind: 'key', key: 'Enter' })],
    [interact({ kind: 'scroll', direction: 'down', amount: 10 })],
    [interact({ kind: 'wait', ms: 30_000 })],
    [assert({ kind: 'textVisible', toolName: 't', text: 'x' })],
    [assert({ kind: 'elementVisible', toolName: 't', target: { css: 'a' } })],
    [assert({ kind: 'elementHidden', toolName: 't', target: { text: 'x' } })],
    [assert({ kind: 'inputValue', toolName: 't', target, equals: '' })],
    [assert({ kind: 'widgetToolCalled', toolName: 't', calledToolName: 'u' })],
    [call({ serverId: 'srv_x', renderTimeoutMs: 120_000, arguments: { deep: [{ a: null }] } })],
    // Exactly the maximum length as JSON.
    [call({ arguments: { a: 'x'.repeat(100_000 - 8) } })],
  ])('are kept as they are written: %j', async (step) => {
    const { status, body } = await steps(prompt(), step);
    expect(status).toBe(201);
    expect(body.steps).toEqual([prompt(), step]);
  });

  test.each<[unknown, RegExp]>([
    [{ id: '2', kind: 'say', text: 'x' }, /^steps\.1\.kind: .*"prompt" or "toolCall"/],
    [{ kind: 'prompt', prompt: 'x' }, /^steps\.1\.id: Required/],
    [{ id: '1', kind: 'prompt', prompt: 'x' }, /^steps\.1\.id: Another step has the ID "1"/],
    [{ id: '2', kind: 'prompt', prompt: '' }, /^steps\.1\.prompt: /],
    [{ id: '2', kind: 'prompt', prompt: 'x', toolName: 't' }, /^steps\.1.*toolName/],
    [call({ arguments: undefined }), /^steps\.1\.arguments: Required/],
    [call({ arguments: [] }), /^steps\.1\.arguments: /],
    [call({ arguments: { a: 'x'.repeat(100_000 - 7) } }), /^steps\.1\.arguments: .*100,000 characters/],
    [call({ renderTimeoutMs: 120_001 }), /^steps\.1\.renderTimeoutMs: /],
    [interact({ kind: 'fly' }), /^steps\.1\.action\.kind: /],
    [interact({ kind: 'click', target: { nth: 1 } }), /^steps\.1\.action\.target: Give at least one of/],
    [interact({ kind: 'wait', ms: 30_001 }), /^steps\.1\.action\.ms: /],
    [interact({ kind: 'type', target, text: 'x'.repeat(5001) }), /^steps\.1\.action\.text: /],
    [interact(undefined), /^steps\.1\.action: Required/],
    [assert({ kind: 'textVisible', toolName: 't' }), /^steps\.1\.assertion\.text: Required/],
    [assert({ kind: 'fly', toolName: 't' }), /^steps\.1\.assertion\.kind: /],
    [assert('noToolErrors'), /^steps\.1\.assertion: /],
    [assert(undefined), /^steps\.1\.assertion: Required/],
    ['prompt', /^steps\.1: /],
    [null, /^steps\.1: /],
  ])('are refused with the place: %j', async (step, message) => {
    const { status, body } = await withoutTrace(database, () => steps(prompt(), step));
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.message).toMatch(message);
  });

  test('are two hundred at most', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => prompt('x', String(n)));
    expect((await steps(...many(200))).body.steps).toHaveLength(200);
    expect(await steps(...many(201))).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^steps: /) },
    });
  });
});

test('schemas that stand together are few enough to be looked at', async () => {
  const large = (n: number) => ({
    type: 'toolResultMatchesSchema',
    schema: { title: String(n), description: 'x'.repeat(16_000) },
  });
  const many = (count: number) => Array.from({ length: count }, (_, n) => large(n));
  const list = (count: number) => world.addCase(suiteId, { checks: { list: many(count) } });
  const steps = (count: number) =>
    world.addCase(suiteId, {
      steps: [prompt(), ...many(count).map((assertion, n) => ({ id: `a${n}`, kind: 'assert', assertion }))],
    });
  for (const ask of [list, steps]) {
    expect(await ask(4)).toMatchObject({ status: 201 });
    expect(await withoutTrace(database, () => ask(5))).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/\.schema: .*65,536 characters/) },
    });
  }
  expect(await world.settings(suiteId, { checks: many(5) })).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^settings\.checks\.4\.schema: /) },
  });
});
