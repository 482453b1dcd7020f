import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { authoring, type EvalsWorld, prompt, vocabulary2 } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;
let suiteId: string;

authoring(async (parts) => {
  ({ service, database, world } = parts);
  suiteId = await world.suite();
});

const add = (fields: object = {}, options?: object) => world.addCase(suiteId, fields, options);
const at = (id = '') => world.at(suiteId, `/cases/${id}`);
const change = (id: string, body: object, options?: object) => service.patch(at(id), body, options);
const call = { id: '1', kind: 'toolCall', serverName: 'harbour', toolName: 'list_ships', arguments: {} };

const full = {
  title: 'Everything',
  id: 'my_case-1',
  steps: [
    prompt('Go', 'a'),
    {
      id: 'b',
      kind: 'assert',
      assertion: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships', role: 'gating' },
    },
    { ...call, id: 'c', serverId: 'srv_any', renderTimeoutMs: 1000 },
    {
      id: 'd',
      kind: 'interact',
      toolName: 'list_ships',
      action: { kind: 'click', target: { text: 'More' } },
    },
    { id: 'e', kind: 'assert', assertion: { kind: 'textVisible', toolName: 'list_ships', text: 'Mary' } },
  ],
  expectedOutput: 'A list',
  isNegative: false,
  scenario: 'In a hurry',
  intent: 'list ships',
  kind: 'regression',
  models: [{ model: 'drydock/rehearsal' }, { model: 'gpt-x', provider: 'openai' }],
  matchOptions: { toolCallOrder: 'in-order', extraToolCalls: 0 },
  judge: { enabled: false },
  import: { status: 'approximated', sourceCaseKey: 'k', note: 'n' },
  source: {
    format: 'markdown',
    method: 'ai',
    fileName: 'f.md',
    fileHash: 'a'.repeat(64),
    excerpt: 'x',
    startLine: 1,
    endLine: 2,
    extractorVersion: '1',
  },
  suppressedSuiteStandardCheckIds: ['call.schema', 'response.errors'],
};

describe('a case', () => {
  test('keeps all that it is told, and is edited field by field', async () => {
    await world.perCase(suiteId);
    const checks = { mode: 'extend', list: [{ type: 'noToolErrors', role: 'gating' }] };
    const made = await add({ ...full, iterations: 2, repetitions: 3, passThreshold: 0.5, checks });
    expect(made.status).toBe(201);
    const { id: declaredId, ...rest } = full;
    const shown = {
      ...rest,
      id: expect.stringMatching(/^case_/),
      declaredId,
      iterations: 2,
      repetitions: 3,
      passThreshold: 0.5,
      checks,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    };
    expect(made.body).toEqual(shown);
    expect((await service.get(at(made.body.id))).body).toEqual(made.body);
    const edited = await change(made.body.id, {
      title: 'Renamed',
      scenario: '',
      matchOptions: { argumentMatching: 'exact' },
    });
    expect(edited.body).toEqual({
      ...made.body,
      title: 'Renamed',
      scenario: '',
      matchOptions: { ...full.matchOptions, arguments: 'exact' },
      updatedAt: expect.any(Number),
    });
    const cleared = await change(made.body.id, {
      intent: null,
      kind: null,
      import: null,
      judge: null,
      matchOptions: null,
      checks: null,
      suppressedSuiteStandardCheckIds: [],
    });
    for (const field of ['intent', 'kind', 'import', 'judge', 'matchOptions', 'checks'])
      expect(cleared.body).not.toHaveProperty(field);
    expect(cleared.body).toMatchObject({
      title: 'Renamed',
      iterations: 2,
      repetitions: 3,
      source: full.source,
    });
    expect(await service.delete(at(made.body.id))).toMatchObject({
      status: 200,
      body: { id: made.body.id, deleted: true },
    });
    for (const ask of [
      () => service.get(at(made.body.id)),
      () => change(made.body.id, { title: 'x' }),
      () => service.delete(at(made.body.id)),
    ])
      expect(await withoutTrace(database, ask)).toMatchObject({ status: 404 });
    expect((await world.read(suiteId)).revisionNumber).toBe(6);
  });

  test('has little to say by default, and gets an id of its own', async () => {
    const { body } = await add({ title: 'Plain' });
    expect(body).toEqual({
      id: expect.any(String),
      declaredId: expect.stringMatching(/^c_[\w-]{21}$/),
      title: 'Plain',
      steps: [prompt()],
      iterations: 1,
      isNegative: false,
      models: [],
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
  });

  test('that an edit leaves as it is makes no revision', async () => {
    const { body } = await add(full);
    const { id: _, source: _source, ...same } = full;
    expect(await change(body.id, same)).toMatchObject({ status: 200, body });
    expect(await change(body.id, {})).toMatchObject({ status: 200, body });
    expect((await world.read(suiteId)).revisionNumber).toBe(2);
  });

  test('is the only one with its id and its content', async () => {
    const { body } = await add({ title: 'A', id: 'one' });
    const sameId = () => add({ title: 'B', id: 'one' });
    expect(await withoutTrace(database, sameId)).toMatchObject({
      status: 409,
      body: { details: { reason: 'DUPLICATE_CASE_ID' } },
    });
    const sameContent = () => add({ title: 'A', steps: [{ ...prompt(), id: 'other' }] });
    expect(await withoutTrace(database, sameContent)).toMatchObject({
      status: 409,
      body: { details: { reason: 'DUPLICATE_CONTENT', caseId: body.id } },
    });
    const other = await world.suite();
    expect((await world.addCase(other, { title: 'A', id: 'one' })).status).toBe(201);
    expect((await service.get(world.at(other, `/cases/${body.id}`))).status).toBe(404);
  });

  test('prompts a model or does not, and that cannot be changed', async () => {
    const { body: prompts } = await add();
    const { body: calls } = await add({ steps: [call] });
    for (const [id, steps] of [
      [prompts.id, [call]],
      [calls.id, [prompt()]],
    ])
      expect(await withoutTrace(database, () => change(id, { steps }))).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/^steps: .*make a new case/) },
      });
    expect((await change(calls.id, { steps: [call, { ...call, id: '2' }] })).body.steps).toHaveLength(2);
  });

  test('has a count and a threshold only where each case is judged by itself', async () => {
    for (const [fields, path] of [
      [{ repetitions: 2 }, 'repetitions'],
      [{ passThreshold: 1 }, 'passThreshold'],
    ] as const)
      for (const ask of [() => add(fields), async () => change((await world.cases(suiteId))[0].id, fields)])
        expect(await withoutTrace(database, ask)).toMatchObject({
          status: 400,
          body: { message: expect.stringMatching(new RegExp(`^${path}: .*settings\\.repetitions`)) },
        });
    expect(await add({ iterations: 2 }, vocabulary2)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^iterations: .*settings\.iterations/) },
    });
  });

  test.each<[string, object, RegExp]>([
    ['without a title', { title: undefined }, /^title: Required/],
    ['without steps', { steps: [] }, /^steps: /],
    ['with an id nobody can write', { id: 'a b' }, /^id: Write up to 128/],
    ['with a field nobody knows', { iteration: 2 }, /iteration/],
    ['with too many trials', { iterations: 11 }, /^iterations: /],
    ['with a threshold over one', { passThreshold: 1.5 }, /^passThreshold: /],
    ['with an intent that begins with a space', { intent: ' x' }, /^intent: /],
    ['with too many models', { models: Array(11).fill({ model: 'a/b' }) }, /^models: /],
    ['with a model nobody named', { models: [{ model: '' }] }, /^models\.0\.model: /],
    ['imported as exact without a note', { import: { status: 'exact' } }, /^import\.note: Required/],
    ['imported with an approval', { import: { status: 'unresolved', approvedBy: 'me' } }, /approvedBy/],
    [
      'from lines that end before they begin',
      { source: { ...full.source, startLine: 3 } },
      /^source\.endLine: /,
    ],
    ['without a check that does not exist', { suppressedSuiteStandardCheckIds: ['x'] }, /^suppressedSuite/],
    [
      'with two lists of checks',
      { checks: { list: [] }, assertions: { list: [] } },
      /^assertions: Cannot be combined with/,
    ],
    ['with two counts', { iterations: 1, runs: 1 }, /^runs: Cannot be combined with iterations/],
    ['that is too large', { expectedOutput: 'x'.repeat(20_001) }, /^expectedOutput: /],
    [
      'that is too large in all',
      { steps: Array.from({ length: 3 }, (_, n) => prompt('x'.repeat(99_000), String(n))) },
      /at most 262,144 characters/,
    ],
  ])('%s is refused, and nothing is written', async (_, fields, message) => {
    expect(await withoutTrace(database, () => add(fields))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(message) },
    });
  });

  test('is edited by many at once without losing anything', async () => {
    const { body } = await add();
    await Promise.all([
      change(body.id, { title: 'T' }),
      change(body.id, { expectedOutput: 'E' }),
      change(body.id, { scenario: 'S' }),
      change(body.id, { matchOptions: { arguments: 'exact' } }),
      change(body.id, { matchOptions: { extraToolCalls: 1 } }),
    ]);
    expect((await service.get(at(body.id))).body).toMatchObject({
      title: 'T',
      expectedOutput: 'E',
      scenario: 'S',
      matchOptions: { arguments: 'exact', extraToolCalls: 1 },
    });
  });
});

describe('the two vocabularies', () => {
  const required = { type: 'noToolErrors', role: 'required' };
  const gating = { type: 'noToolErrors', role: 'gating' };

  test('call the same things by different words', async () => {
    await world.perCase(suiteId);
    const second = await add(
      {
        title: 'Second',
        steps: [prompt(), { id: '2', kind: 'assert', assertion: required }],
        legacyIterations: 2,
        iterations: 3,
        assertions: { mode: 'replace', list: [required, { type: 'noToolErrors' }] },
      },
      vocabulary2,
    );
    expect(second).toMatchObject({
      status: 201,
      body: {
        steps: [{}, { assertion: required }],
        legacyIterations: 2,
        iterations: 3,
        assertions: { mode: 'replace', list: [required, { type: 'noToolErrors' }] },
      },
    });
    expect(second.body).not.toHaveProperty('repetitions');
    expect(second.body).not.toHaveProperty('checks');
    expect(second.headers.get('vary')).toContain('x-mcpjam-eval-vocabulary');
    const first = await service.get(at(second.body.id));
    expect(first.body).toMatchObject({
      steps: [{}, { assertion: gating }],
      iterations: 2,
      repetitions: 3,
      checks: { mode: 'replace', list: [gating, { type: 'noToolErrors' }] },
    });
    expect(first.body).not.toHaveProperty('legacyIterations');
    expect(first.body).not.toHaveProperty('assertions');
    expect(first.headers.get('vary')).toContain('x-mcpjam-eval-vocabulary');
    // Both words are understood in the second.
    const edited = await change(second.body.id, { checks: { list: [gating] } }, vocabulary2);
    expect(edited.body.assertions).toEqual({ mode: 'inherit', list: [required] });
    const list = await service.get(world.at(suiteId, '/cases'), vocabulary2);
    expect(list.body.items.at(-1)).toEqual(edited.body);
  });

  test('count the same: a count alone is the floor of a new case too', async () => {
    await world.perCase(suiteId);
    for (const [fields, options, counts] of [
      [{}, {}, { iterations: 1 }],
      [{ repetitions: 4 }, {}, { iterations: 4, repetitions: 4 }],
      [{ repetitions: 4, iterations: 2 }, {}, { iterations: 2, repetitions: 4 }],
      [{}, vocabulary2, { legacyIterations: 1 }],
      [{ iterations: 4 }, vocabulary2, { legacyIterations: 4, iterations: 4 }],
      [{ repetitions: 4, runs: 2 }, vocabulary2, { legacyIterations: 2, iterations: 4 }],
    ] as const)
      expect((await add(fields, options)).body).toMatchObject(counts);
    const { body } = await add({ repetitions: 4 });
    expect((await change(body.id, { repetitions: 5 })).body).toMatchObject({ iterations: 4, repetitions: 5 });
  });

  test.each<[string, object, object, RegExp]>([
    ['"required" in the first', { checks: { list: [required] } }, {}, /^checks\.list\.0\.role: .*gating/],
    [
      '"required" of a step in the first',
      { steps: [prompt(), { id: '2', kind: 'assert', assertion: required }] },
      {},
      /^steps\.1\.assertion\.role: .*gating/,
    ],
    [
      'two exact counts',
      { iterations: 1, repetitions: 1 },
      vocabulary2,
      /^repetitions: Cannot be combined with/,
    ],
    ['two floors', { legacyIterations: 1, runs: 1 }, vocabulary2, /^runs: Cannot be combined with/],
    ['a third', {}, { headers: { 'x-mcpjam-eval-vocabulary': '3' } }, /^x-mcpjam-eval-vocabulary: /],
    [
      'a pattern that cannot be read, under the word that was used',
      { assertions: { list: [{ type: 'responseMatches', pattern: '(' }] } },
      vocabulary2,
      /^assertions\.list\.0\.pattern: /,
    ],
  ])('refuse %s', async (_, fields, options, message) => {
    expect(await withoutTrace(database, () => add(fields, options))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(message) },
    });
  });
});
