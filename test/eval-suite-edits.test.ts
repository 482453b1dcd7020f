import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { authoring, type EvalsWorld, prompt, vocabulary2 } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts));

describe('an edit', () => {
  test('changes what it names and keeps the rest', async () => {
    const suiteId = await world.suite({ description: 'old' });
    const before = await world.read(suiteId);
    const client = await world.client();
    const { status, body } = await world.patch(suiteId, {
      expectedRevisionNumber: 1,
      note: 'Renamed',
      name: 'Boats',
      executionConfig: { temperature: 1 },
      hosts: [{ host: client, servers: ['harbour'] }],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      name: 'Boats',
      executionConfig: { model: 'drydock/rehearsal', temperature: 1 },
      hosts: [{ id: client, name: expect.any(String), servers: ['harbour'] }],
      revisionNumber: 2,
      updatedAt: expect.any(Number),
    });
    expect(await world.read(suiteId)).toEqual(body);
    const emptied = await world.patch(suiteId, { description: '', hosts: [], environment: { servers: [] } });
    expect(emptied.body).toMatchObject({
      description: null,
      hosts: [],
      environment: { servers: [] },
      revisionNumber: 3,
    });
  });

  test('that is stale is refused, and nothing is written', async () => {
    const suiteId = await world.suite();
    await world.patch(suiteId, { expectedRevisionNumber: 1, name: 'First' });
    const second = () => world.patch(suiteId, { expectedRevisionNumber: 1, name: 'Second' });
    expect(await withoutTrace(database, second)).toMatchObject({
      status: 409,
      body: {
        code: 'CONFLICT',
        details: { reason: 'SUITE_REVISION_CONFLICT', currentRevisionNumber: 2 },
      },
    });
  });

  test('by many at once is made by exactly one', async () => {
    const suiteId = await world.suite();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        world.patch(suiteId, { expectedRevisionNumber: 1, name: `n${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test('by many at once to different fields loses none', async () => {
    const suiteId = await world.suite();
    const cases = Array.from({ length: 5 }, () => world.addCase(suiteId));
    const answers = await Promise.all([
      world.patch(suiteId, { name: 'N' }),
      world.patch(suiteId, { description: 'D' }),
      world.settings(suiteId, { minimumAccuracy: 50 }),
      world.settings(suiteId, { judge: { threshold: 0.1 } }),
      ...cases,
    ]);
    expect(answers.every(({ status }) => status < 300)).toBe(true);
    expect(await world.read(suiteId)).toMatchObject({
      name: 'N',
      description: 'D',
      settings: { minimumAccuracy: 50, judge: { threshold: 0.1 } },
      revisionNumber: 10,
    });
    expect(await world.cases(suiteId)).toHaveLength(6);
  });

  test('that changes nothing makes no revision', async () => {
    const suiteId = await world.suite();
    const client = await world.client();
    const environmentId = await world.environment();
    const everything = {
      name: 'Same',
      description: 'd',
      environment: { servers: ['harbour'] },
      environmentIds: [environmentId],
      executionConfig: { temperature: 1, systemPrompt: 's', model: 'drydock/rehearsal' },
      hosts: [{ servers: ['harbour'], host: client }],
      settings: {
        minimumAccuracy: 10,
        minimumIterations: 2,
        matchOptions: { toolCallOrder: 'in-order', arguments: 'exact', extraToolCalls: 1 },
        checks: [
          {
            toolName: 'x',
            type: 'toolCalledWith',
            args: { argumentMatching: 'exact', args: { b: 1, a: 2 } },
          },
        ],
        judge: {
          rubric: {
            criteria: [{ label: 'Polite', required: true, id: 'polite', description: 'Says please' }],
          },
          threshold: 0.5,
        },
      },
    };
    const first = await world.patch(suiteId, everything);
    expect(first).toMatchObject({ status: 200, body: { revisionNumber: 2 } });
    expect(await world.patch(suiteId, everything)).toMatchObject({ status: 200, body: first.body });
    expect(await world.patch(suiteId, {})).toMatchObject({ status: 200, body: first.body });
    expect(await world.patch(suiteId, { settings: { judge: { threshold: 0.5 } } })).toMatchObject({
      body: first.body,
    });
  });

  test('attaches environments in the order given, or detaches all with null', async () => {
    const suiteId = await world.suite();
    const [a, b] = [await world.environment(), await world.environment()];
    expect((await world.patch(suiteId, { environmentIds: [b, a, b] })).body.environmentIds).toEqual([b, a]);
    const none = () => world.patch(suiteId, { environmentIds: [] });
    expect(await withoutTrace(database, none)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(/^environmentIds: .*null/) },
    });
    await service.post(`${world.project}/environments/${a}/archive`, { expectedRevision: 1 });
    const archived = () => world.patch(suiteId, { environmentIds: [a] });
    expect(await withoutTrace(database, archived)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Restore it') },
    });
    expect((await world.patch(suiteId, { environmentIds: null })).body.environmentIds).toEqual([]);
  });

  test('of a suite that has no model needs one', async () => {
    const tests = [{ title: 't', steps: [prompt()], model: 'drydock/rehearsal' }];
    const { body } = await world.launch({ suiteName: 'New', serverIds: [world.server.id], tests });
    expect((await world.read(body.suiteId)).executionConfig).toBeNull();
    expect(await world.patch(body.suiteId, { executionConfig: { temperature: 1 } })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^executionConfig: .*model/) },
    });
    const model = { model: 'drydock/rehearsal', temperature: 1 };
    expect((await world.patch(body.suiteId, { executionConfig: model })).body.executionConfig).toEqual(model);
  });

  test.each<[string, object, number, RegExp]>([
    ['with a field nobody knows', { nmae: 'x' }, 400, /nmae/],
    ['that takes the name away', { name: '' }, 400, /^name: /],
    ['with a client named twice', { hosts: [{ host: 'C' }, { host: 'c' }] }, 400, /^hosts: .*twice/],
    ['with a server of nobody', { environment: { servers: ['nobody'] } }, 404, /server/],
    ['with a computer', { environment: { computerEnvironment: 'x' } }, 400, /Computers are not supported/],
    ['with an environment of nobody', { environmentIds: ['env_none'] }, 404, /environment/],
    ['with a temperature that is too high', { executionConfig: { temperature: 3 } }, 400, /temperature/],
    ['with a note that is too long', { note: 'x'.repeat(501) }, 400, /^note: /],
  ])('%s is refused, and nothing is written', async (_, body, status, message) => {
    const suiteId = await world.suite();
    await service.post(`${world.project}/clients`, { name: 'C', template: 'claude' });
    const answer = await withoutTrace(database, () => world.patch(suiteId, body));
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
  });
});

describe('the settings', () => {
  test('switch to judging each case with a count and a threshold together, and not back', async () => {
    const suiteId = await world.suite({ passCriteria: { minimumPassRate: 90 } });
    expect((await world.settings(suiteId, { minimumAccuracy: 80 })).body.settings).toMatchObject({
      minimumAccuracy: 80,
      policy: 'legacy',
    });
    for (const [settings, message] of [
      [{ repetitions: 3 }, /together/],
      [{ passThreshold: 1 }, /together/],
      [{ validity: { minCompletionRate: 0.5 } }, /^settings\.validity: /],
      [{ repetitions: 3, passThreshold: 1, minimumAccuracy: 80 }, /^settings\.minimumAccuracy: /],
      [{ repetitions: 3, iterations: 3, passThreshold: 1 }, /^settings\.iterations: Cannot be combined with/],
      [{ repetitions: 101, passThreshold: 1 }, /^settings\.repetitions: /],
      [{ repetitions: 3, passThreshold: 1.1 }, /^settings\.passThreshold: /],
    ] as const)
      expect(await withoutTrace(database, () => world.settings(suiteId, settings))).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message) },
      });
    const switched = await world.settings(suiteId, {
      repetitions: 3,
      passThreshold: 0.5,
      validity: { minEligibleTrials: 2 },
    });
    expect(switched.body.settings).toMatchObject({
      minimumAccuracy: null,
      policy: 'v2',
      verdictPolicyVersion: 2,
      verdictPolicyDefaults: { repetitions: 3, passThreshold: 0.5, validity: { minEligibleTrials: 2 } },
    });
    const merged = await world.settings(suiteId, { validity: { minCompletionRate: 0.9 }, passThreshold: 1 });
    expect(merged.body.settings.verdictPolicyDefaults).toEqual({
      repetitions: 3,
      passThreshold: 1,
      validity: { minEligibleTrials: 2, minCompletionRate: 0.9 },
    });
    expect(await world.settings(suiteId, { minimumAccuracy: 80 })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^settings\.minimumAccuracy: .*passThreshold/) },
    });
  });

  test('merge match options field by field, in either spelling, and null clears them', async () => {
    const suiteId = await world.suite();
    const options = async (matchOptions: object | null) =>
      (await world.settings(suiteId, { matchOptions })).body.settings?.matchOptions;
    expect(await options({ toolCallOrder: 'superset', maxExtraToolCalls: 2 })).toEqual({
      toolCallOrder: 'in-order',
      extraToolCalls: 2,
    });
    expect(await options({ argumentMatching: 'ignore' })).toEqual({
      toolCallOrder: 'in-order',
      extraToolCalls: 2,
      arguments: 'ignore',
    });
    expect(await options({ maxExtraToolCalls: null })).toMatchObject({ extraToolCalls: 'unlimited' });
    expect(await options(null)).toBeNull();
    expect(
      await world.settings(suiteId, { matchOptions: { arguments: 'exact', argumentMatching: 'exact' } }),
    ).toMatchObject({
      status: 400,
      body: {
        message: expect.stringMatching(/^settings\.matchOptions\.argumentMatching: Cannot be combined with/),
      },
    });
  });

  test.each(['checks', 'defaultAssertions', 'defaultPredicates'])(
    'take checks as %s, and null takes them away',
    async (spelling) => {
      const suiteId = await world.suite();
      const list = [{ type: 'noToolErrors', role: 'gating' }];
      const { body } = await world.settings(suiteId, { [spelling]: list });
      expect(body.settings.checks).toEqual(list);
      expect(body.settings).not.toHaveProperty('defaultAssertions');
      expect((await world.settings(suiteId, { [spelling]: null })).body.settings.checks).toEqual([]);
      const other = spelling === 'checks' ? 'defaultAssertions' : 'checks';
      expect(await world.settings(suiteId, { [spelling]: list, [other]: list })).toMatchObject({
        status: 400,
        body: {
          message: expect.stringMatching(/^settings\.\w+: Cannot be combined with \w+; send only one/),
        },
      });
    },
  );

  test('speak the vocabulary of the caller', async () => {
    const suiteId = await world.suite();
    const list = [
      { type: 'noToolErrors', role: 'required' },
      { type: 'toolNamesUnique', role: 'advisory' },
    ];
    expect(await world.settings(suiteId, { checks: list })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^settings\.checks\.0\.role: .*gating/) },
    });
    const second = await world.settings(
      suiteId,
      { defaultAssertions: list, iterations: 4, passThreshold: 1 },
      vocabulary2,
    );
    expect(second.headers.get('vary')).toContain('x-mcpjam-eval-vocabulary');
    expect(second.body.settings).toMatchObject({
      defaultAssertions: list,
      verdictPolicyDefaults: { iterations: 4, passThreshold: 1 },
    });
    expect(second.body.settings).not.toHaveProperty('checks');
    expect(second.body.settings.verdictPolicyDefaults).not.toHaveProperty('repetitions');
    expect(await world.read(suiteId, vocabulary2)).toEqual(second.body);
    expect((await world.read(suiteId)).settings).toMatchObject({
      checks: [{ type: 'noToolErrors', role: 'gating' }, list[1]],
      verdictPolicyDefaults: { repetitions: 4 },
    });
    const third = { headers: { 'x-mcpjam-eval-vocabulary': '3' } };
    expect(await service.get(world.at(suiteId), third)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^x-mcpjam-eval-vocabulary: /) },
    });
  });

  test('of the judge are laid over what was set', async () => {
    const suiteId = await world.suite();
    const judge = async (changes: object) =>
      (await world.settings(suiteId, { judge: changes })).body.settings?.judge;
    const criteria = [{ id: 'polite', label: 'Polite' }];
    expect(await judge({ autoRun: true, severity: 'warn', rubric: { criteria } })).toEqual({
      enabled: true,
      model: 'openai/gpt-5.4-mini',
      autoRun: true,
      threshold: 0.7,
      severity: 'warn',
      rubric: { criteria },
    });
    expect(await judge({ threshold: 1 })).toMatchObject({
      threshold: 1,
      autoRun: true,
      rubric: { criteria },
    });
    const cleared = await judge({ rubric: null, severity: null });
    expect(cleared).not.toHaveProperty('rubric');
    expect(cleared).not.toHaveProperty('severity');
    for (const [changes, message] of [
      [{ threshold: 2 }, /^settings\.judge\.threshold: /],
      [{ severity: 'error' }, /^settings\.judge\.severity: /],
      [{ groundedness: { role: 'advisory' } }, /groundedness/],
      [{ rubric: { criteria: [] } }, /^settings\.judge\.rubric\.criteria: /],
      [
        { rubric: { criteria: [...criteria, ...criteria] } },
        /^settings\.judge\.rubric\.criteria: Two criteria/,
      ],
      [{ rubric: { criteria: [{ id: 'a b', label: 'x' }] } }, /^settings\.judge\.rubric\.criteria\.0\.id: /],
    ] as const)
      expect(await world.settings(suiteId, { judge: changes })).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message) },
      });
  });

  test('name the check that cannot be used', async () => {
    const suiteId = await world.suite();
    const checks = [{ type: 'noToolErrors' }, { type: 'responseMatches', pattern: '[' }];
    expect(await world.settings(suiteId, { checks })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^settings\.checks\.1\.pattern: /) },
    });
    expect(await world.settings(suiteId, { checks: Array(51).fill(checks[0]) })).toMatchObject({
      status: 400,
    });
    expect(await world.settings(suiteId, { minimumIterations: 11 })).toMatchObject({ status: 400 });
    expect((await world.settings(suiteId, { minimumIterations: 3 })).body.settings.minimumIterations).toBe(3);
    expect(
      (await world.settings(suiteId, { minimumIterations: null })).body.settings.minimumIterations,
    ).toBeNull();
  });
});
