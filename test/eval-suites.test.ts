import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { suiteRemoval } from '../src/domain/eval-runs/remove-suite.ts';
import { authoring, EvalsWorld, prompt } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts));

const count = async (table: string, where = 'true'): Promise<number> =>
  (await database.query<{ count: number }>(`select count(*)::int as count from ${table} where ${where}`))
    .rows[0]?.count ?? 0;

describe('a new suite', () => {
  test('holds its cases, and nothing is run or spent for it', async () => {
    const answer = await world.suites({
      description: 'Before every release',
      systemPrompt: 'Be brief.',
      temperature: 0.2,
      tags: ['nightly'],
      tests: [
        { title: 'One', steps: [prompt('first')] },
        { title: 'Two', steps: [prompt('second')], runs: 3, isNegativeTest: true },
      ],
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        suiteId: expect.any(String),
        name: 'Ships',
        servers: [world.server],
        hosts: [],
        caseUpsert: {
          committed: [
            { id: expect.any(String), name: 'One' },
            { id: expect.any(String), name: 'Two' },
          ],
          failed: [],
        },
      },
    });
    for (const table of ['eval_runs', 'eval_trials', 'model_calls', 'ledger_entries'])
      expect([table, await count(table)]).toEqual([table, 0]);
    const { suiteId } = answer.body;
    expect(await world.read(suiteId)).toEqual({
      id: suiteId,
      managedBy: 'app',
      name: 'Ships',
      description: 'Before every release',
      projectId: world.projectId,
      environment: { servers: ['harbour'], computerEnvironment: null },
      executionConfig: { model: 'drydock/rehearsal', systemPrompt: 'Be brief.', temperature: 0.2 },
      hosts: [],
      environmentIds: [],
      settings: {
        minimumAccuracy: null,
        minimumIterations: null,
        matchOptions: null,
        checks: [
          { type: 'noToolErrors', role: 'advisory', severity: 'warn' },
          { type: 'argumentsMatchToolSchema', role: 'advisory', severity: 'warn' },
          { type: 'noDeprecatedToolCalled', role: 'advisory', severity: 'warn' },
        ],
        judge: { enabled: true, model: 'openai/gpt-5.4-mini', autoRun: false, threshold: 0.7 },
        policy: 'legacy',
        qualityGate: null,
      },
      schedule: {
        enabled: false,
        intervalMinutes: null,
        environmentId: null,
        state: null,
        createdBy: null,
        nextDueAt: null,
        consecutiveFailures: 0,
      },
      revisionNumber: 1,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
    const [one, two] = await world.cases(suiteId);
    expect(one).toMatchObject({ title: 'One', iterations: 1, isNegative: false });
    expect(two).toMatchObject({ title: 'Two', iterations: 3, isNegative: true });
  });

  test('takes the same case with several models as one case', async () => {
    const same = { title: 'Same', steps: [prompt()] };
    const suiteId = await world.suite({
      tests: [
        { ...same, model: 'openai/gpt-5-nano' },
        { ...same, model: 'drydock/rehearsal' },
        { ...same, model: 'openai/gpt-5-nano' },
      ],
    });
    expect(await world.cases(suiteId)).toMatchObject([
      { title: 'Same', models: [{ model: 'openai/gpt-5-nano' }, { model: 'drydock/rehearsal' }] },
    ]);
  });

  test('has a rate for the run, or a count and a threshold for each case', async () => {
    const rate = await world.suite({ passCriteria: { minimumPassRatePercent: 0.5 } });
    expect((await world.read(rate)).settings).toMatchObject({ policy: 'legacy', minimumAccuracy: 0.5 });
    const each = await world.suite({ repetitions: 5, passThreshold: 0.8 });
    expect((await world.read(each)).settings).toMatchObject({
      policy: 'v2',
      minimumAccuracy: null,
      verdictPolicyVersion: 2,
      verdictPolicyDefaults: { repetitions: 5, passThreshold: 0.8 },
    });
  });

  test.each<[string, object, number, RegExp]>([
    ['without a name', { name: ' ' }, 400, /^name: /],
    ['without servers', { serverIds: [] }, 400, /^serverIds: /],
    ['without a model', { model: undefined }, 400, /^model: Required/],
    ['without cases', { tests: [] }, 400, /^tests: /],
    ['with too many', { tests: Array(101).fill({ title: 't', steps: [prompt()] }) }, 400, /^tests: /],
    ['with a field nobody knows', { models: [] }, 400, /models/],
    ['with a server of nobody', { serverIds: ['srv_none'] }, 404, /server/],
    ['with a client of nobody', { hosts: [{ host: 'nobody' }] }, 404, /client/],
    [
      'with two rates',
      { passCriteria: { minimumPassRate: 9, minimumPassRatePercent: 9 } },
      400,
      /exactly one/,
    ],
    ['with no rate', { passCriteria: {} }, 400, /exactly one/],
    ['with a fraction for percent', { passCriteria: { minimumPassRate: 0.8 } }, 400, /write 80/],
    ['with a count alone', { repetitions: 2 }, 400, /together/],
    [
      'with both',
      { repetitions: 2, passThreshold: 1, passCriteria: { minimumPassRate: 9 } },
      400,
      /passCriteria/,
    ],
    [
      'with a case that has two counts',
      {
        tests: [
          { title: 'a', steps: [prompt()] },
          { title: 'b', steps: [prompt()], runs: 1, iterations: 2 },
        ],
      },
      400,
      /^tests\.1\.iterations: Cannot be combined with runs/,
    ],
    [
      'with a case whose pattern cannot be read',
      {
        tests: [
          { title: 'a', steps: [prompt()], checks: { list: [{ type: 'responseMatches', pattern: '(' }] } },
        ],
      },
      400,
      /^tests\.0\.checks\.list\.0\.pattern: /,
    ],
    [
      'with a case that has a count of another operation',
      { tests: [{ title: 'a', steps: [prompt()], repetitions: 2 }] },
      400,
      /repetitions/,
    ],
  ])('%s is refused, and nothing is written', async (_, fields, status, message) => {
    const answer = await withoutTrace(database, () => world.suites(fields));
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
  });

  test('is refused when one of its servers cannot be reached', async () => {
    const { body } = await service.post(`${world.project}/servers`, {
      name: 'gone',
      url: 'http://127.0.0.1:1/mcp',
    });
    const answer = await world.suites({ serverIds: [world.server.id, body.id] });
    expect(answer).toMatchObject({ status: 502, body: { code: 'SERVER_UNREACHABLE' } });
    expect(await count('eval_suites', `project_id = '${world.projectId}'`)).toBe(0);
  });

  test('names servers by id or by name, each once', async () => {
    const suiteId = await world.suite({ serverIds: [world.server.id, 'harbour'] });
    expect((await world.read(suiteId)).environment.servers).toEqual(['harbour']);
  });
});

describe('the list', () => {
  const finish = (runId: string, passed: number, failed: number) =>
    database.query(
      `update eval_runs set status = 'completed', result = 'passed', passed = $2, failed = $3 where id = $1`,
      [runId, passed, failed],
    );

  test('shows the latest run, the totals and the trend, the oldest first', async () => {
    const suiteId = await world.suite();
    const list = async () => (await service.get(`${world.project}/eval-suites`)).body.items;
    expect(await list()).toEqual([
      {
        id: suiteId,
        name: 'Ships',
        projectId: world.projectId,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        latestRun: null,
        totals: { passed: 0, failed: 0, runs: 0 },
        passRateTrend: [],
        caseCount: 1,
        schedule: (await service.get(`${world.project}/eval-suites/${suiteId}`)).body.schedule,
      },
    ]);
    await finish(await world.run({ suiteId }), 1, 3);
    await finish(await world.run({ suiteId }), 2, 2);
    await database.query('update eval_suites set passed_total = 3, failed_total = 5 where id = $1', [
      suiteId,
    ]);
    const runId = await world.run({ suiteId });
    const [item] = await list();
    expect(item).toMatchObject({
      latestRun: { id: runId, status: 'pending', result: null, passRate: null, passed: 0, failed: 0 },
      totals: { passed: 3, failed: 5, runs: 3 },
      passRateTrend: [0.25, 0.5],
    });
  });

  test('is paged, and a cursor does not open the list of another project', async () => {
    for (const name of ['a', 'b', 'c']) await world.suite({ name });
    const first = await service.get(`${world.project}/eval-suites?limit=2`);
    expect(first.body.items.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const cursor = encodeURIComponent(first.body.nextCursor);
    const second = await service.get(`${world.project}/eval-suites?limit=2&cursor=${cursor}`);
    expect(second.body).toEqual({ items: [expect.objectContaining({ name: 'c' })] });
    const other = await EvalsWorld.make(service);
    expect(await service.get(`${other.project}/eval-suites?cursor=${cursor}`)).toMatchObject({ status: 400 });
  });
});

describe('the revisions', () => {
  test('say who changed what and why, the newest first, page by page', async () => {
    const suiteId = await world.suite();
    const member = await service.member('member');
    await world.patch(suiteId, { name: 'A', description: 'B', note: 'Because' }, { key: member.key });
    await world.addCase(suiteId);
    await world.run({ suiteId });
    await world.run({ suiteId });
    const { body } = await service.get(world.at(suiteId, '/revisions'));
    const shared = {
      id: expect.any(String),
      source: 'api',
      createdBy: expect.any(String),
      createdByName: expect.any(String),
      createdAt: expect.any(Number),
      note: null,
      revisionGroupId: null,
      pinnedRunCount: 0,
      pinnedRunCountCapped: false,
    };
    expect(body).toEqual({
      items: [
        { ...shared, revisionNumber: 3, changedFields: ['cases'], pinnedRunCount: 2 },
        {
          ...shared,
          revisionNumber: 2,
          createdBy: member.userId,
          createdByName: 'member',
          note: 'Because',
          changedFields: ['name', 'description'],
        },
        { ...shared, revisionNumber: 1, changedFields: ['created'] },
      ],
    });
    const first = await service.get(world.at(suiteId, '/revisions?limit=2'));
    const cursor = encodeURIComponent(first.body.nextCursor);
    const rest = await service.get(world.at(suiteId, `/revisions?limit=2&cursor=${cursor}`));
    expect([...first.body.items, ...rest.body.items]).toEqual(body.items);
    expect(rest.body).not.toHaveProperty('nextCursor');
    for (const limit of [0, 101, 'x'])
      expect(await service.get(world.at(suiteId, `/revisions?limit=${limit}`))).toMatchObject({
        status: 400,
      });
  });
});

test('an environment is attached once', async () => {
  const suiteId = await world.suite();
  const environmentId = await world.environment();
  const attach = () => service.post(world.at(suiteId, '/environments'), { environmentId });
  const first = await attach();
  expect(first).toMatchObject({
    status: 200,
    body: { suiteId, attached: true, environmentIds: [environmentId] },
  });
  expect((await attach()).body).toEqual({ suiteId, attached: false, environmentIds: [environmentId] });
  expect(await world.read(suiteId)).toMatchObject({ environmentIds: [environmentId], revisionNumber: 2 });
});

describe('a deletion', () => {
  test('is refused while a run is under way, and then takes everything with it', async () => {
    const suiteId = await world.suite();
    const environmentId = await world.environment();
    await world.patch(suiteId, { environmentIds: [environmentId] });
    const runId = await world.run({ suiteId });
    expect(await withoutTrace(database, () => service.delete(world.at(suiteId)))).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { reason: 'RUN_UNDER_WAY' } },
    });
    await world.cancel(runId);
    expect(await service.delete(world.at(suiteId))).toMatchObject({
      status: 200,
      body: { id: suiteId, deleted: true },
    });
    for (const path of [
      world.at(suiteId),
      world.at(suiteId, '/cases'),
      world.at(suiteId, '/runs'),
      `${world.project}/eval-runs/${runId}`,
      `${world.project}/eval-runs/${runId}/iterations`,
    ])
      expect([path, (await service.get(path)).status]).toEqual([path, 404]);
    expect((await service.delete(world.at(suiteId))).status).toBe(404);
    expect((await world.launch({ suiteId })).status).toBe(404);
    expect((await service.get(`${world.project}/eval-suites`)).body.items).toEqual([]);
    const commit = await suiteRemoval(service.running.services).handle(
      { id: suiteId },
      new AbortController().signal,
    );
    if (commit) await service.db.transaction(commit);
    for (const table of ['eval_cases', 'eval_suite_revisions', 'eval_runs'])
      expect([table, await count(table, `suite_id = '${suiteId}'`)]).toEqual([table, 0]);
    expect(await count('eval_trials', `run_id = '${runId}'`)).toBe(0);
    expect(await count('eval_suites', `id = '${suiteId}'`)).toBe(0);
  });

  test('that meets a launch lets exactly one of them win', async () => {
    for (let round = 0; round < 5; round++) {
      const suiteId = await world.suite();
      const [launched, deleted] = await Promise.all([
        world.launch({ suiteId }),
        service.delete(world.at(suiteId)),
      ]);
      expect([
        [202, 409],
        [404, 200],
      ]).toContainEqual([launched.status, deleted.status]);
    }
  });
});
