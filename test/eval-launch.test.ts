import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { authoring, EvalsWorld, prompt } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { snapshotOf, withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts), { models: true });

const refusedWith = (status: number, reason: string, details: object = {}) => ({
  status,
  body: { details: { reason, ...details } },
});
const trialsOf = async (runId: string): Promise<{ title: string; model: string }[]> =>
  (await service.get(`${world.project}/eval-runs/${runId}/iterations`)).body.items;
const readRun = async (runId: string) => (await service.get(`${world.project}/eval-runs/${runId}`)).body;
const planOf = async (runId: string) =>
  (await database.query('select snapshot from eval_run_snapshots where run_id = $1', [runId])).rows[0]
    .snapshot;
const addServer = async (name: string, fields: object = {}): Promise<string> =>
  (await service.post(`${world.project}/servers`, { name, url: await service.demoUrl(), ...fields })).body.id;

describe('where a run takes place', () => {
  test('without environments it is the saved servers, or those of the request', async () => {
    const suiteId = await world.suite();
    const answer = await world.launch({ suiteId });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        runId: expect.any(String),
        suiteId,
        status: 'pending',
        servers: [world.server],
        caseUpsert: { committed: [], failed: [] },
        environment: null,
      },
    });
    expect(answer.body).not.toHaveProperty('deduped');
    expect(await readRun(answer.body.runId)).toMatchObject({
      source: 'api',
      status: 'pending',
      result: null,
      environment: null,
      runNumber: 1,
      suiteRevision: 1,
      attribution: { surface: 'rest' },
    });
    const other = await addServer('other');
    const asked = await world.launch({ suiteId, serverIds: [other, 'other'] });
    expect(asked.body).toMatchObject({ servers: [{ id: other, name: 'other' }], environment: null });
    expect((await world.read(suiteId)).environment.servers).toEqual(['harbour']);
  });

  test('with one environment it is that one, at the revision it has now', async () => {
    const suiteId = await world.suite();
    const id = await world.environment({ name: 'Staging' });
    await world.patch(suiteId, { environmentIds: [id] });
    const { body } = await world.launch({ suiteId });
    expect(body).toMatchObject({
      environment: { id, name: 'Staging', revision: 1 },
      servers: [world.server],
    });
    await service.patch(`${world.project}/environments/${id}`, { expectedRevision: 1, name: 'Renamed' });
    expect((await world.launch({ suiteId, environmentId: id })).body.environment).toEqual({
      id,
      name: 'Renamed',
      revision: 2,
    });
    // The first one keeps what it was launched with.
    expect((await readRun(body.runId)).environment).toEqual({ id, name: 'Staging', revision: 1 });
  });

  test('is refused by the rules, each with its reason, before anything is written', async () => {
    const suiteId = await world.suite();
    const bare = await world.suite();
    await world.patch(bare, { environment: { servers: [] } });
    const [a, b, stranger] = [
      await world.environment(),
      await world.environment(),
      await world.environment(),
    ];
    const serverIds = [world.server.id];
    const tests = [{ title: 'New', steps: [prompt('new')] }];
    const refuses = async (body: object, expected: object) =>
      expect([body, await withoutTrace(database, () => world.launch(body))]).toMatchObject([body, expected]);

    await refuses({ suiteId: bare }, refusedWith(400, 'NO_SAVED_SERVER_SELECTION'));
    expect(await world.launch({ suiteId: bare, serverIds })).toMatchObject({ status: 202 });
    const none = refusedWith(400, 'ENVIRONMENT_NOT_ATTACHED', { environmentIds: [] });
    await refuses({ suiteId, environmentId: stranger }, none);
    await refuses({ suiteId, environmentId: stranger, tests }, none);
    await refuses({ suiteId, environmentId: a, serverIds }, { status: 400 });
    for (const attached of [[a], [a, b]]) {
      await world.patch(suiteId, { environmentIds: attached });
      const overridden = refusedWith(400, 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE');
      await refuses({ suiteId, serverIds }, overridden);
      await refuses({ suiteId, serverIds, environmentId: a }, overridden);
      await refuses({ suiteId, serverIds, environmentId: stranger }, overridden);
      const notAttached = refusedWith(400, 'ENVIRONMENT_NOT_ATTACHED', { environmentIds: attached });
      await refuses({ suiteId, environmentId: stranger, tests }, notAttached);
      await refuses({ suiteId, environmentId: 'env_nobody' }, notAttached);
      await refuses({ suiteId, namedHostId: 'cli_x' }, { status: 400 });
    }
    await refuses({ suiteId }, refusedWith(400, 'ENVIRONMENT_REQUIRED', { environmentIds: [a, b] }));
    expect(await world.launch({ suiteId, environmentId: b })).toMatchObject({
      body: { environment: { id: b } },
    });
    await service.post(`${world.project}/environments/${b}/archive`, { expectedRevision: 1 });
    await refuses({ suiteId, environmentId: b }, refusedWith(409, 'ENV_ARCHIVED', { code: 'ENV_ARCHIVED' }));
  });

  test('may be an environment that is not attached, when that is asked for', async () => {
    const suiteId = await world.suite();
    const environmentId = await world.environment();
    const asked = { suiteId, environmentId, ephemeralEnvironment: true };
    expect((await world.launch(asked)).body.environment).toMatchObject({ id: environmentId });
    expect(await world.read(suiteId)).toMatchObject({ environmentIds: [], revisionNumber: 1 });
    const other = await EvalsWorld.make(service);
    const theirs = { ...asked, environmentId: await other.environment() };
    expect(await withoutTrace(database, () => world.launch(theirs))).toMatchObject({ status: 404 });
  });

  test('is refused when a server cannot be used', async () => {
    const gone = await addServer('gone');
    const suiteId = await world.suite({ serverIds: [gone] });
    await service.patch(`${world.project}/servers/${gone}`, { enabled: false });
    const ask = () => world.launch({ suiteId });
    expect(await withoutTrace(database, ask)).toMatchObject(
      refusedWith(409, 'SERVER_DISABLED', { serverId: gone }),
    );
    await service.delete(`${world.project}/servers/${gone}`);
    // The transaction leaves no rows behind.
    expect(await withoutTrace(database, ask)).toMatchObject(
      refusedWith(400, 'NO_SAVED_SERVER_SELECTION', { deletedServerIds: [gone] }),
    );
    const left = await addServer('left');
    const lost = await addServer('lost');
    const halved = await world.suite({ serverIds: [left, lost] });
    await service.delete(`${world.project}/servers/${lost}`);
    expect(await withoutTrace(database, () => world.launch({ suiteId: halved }))).toMatchObject(
      refusedWith(409, 'SERVER_GONE', { serverId: lost }),
    );
    const named = () => world.launch({ suiteId, serverIds: [gone] });
    expect(await withoutTrace(database, named)).toMatchObject({ status: 404 });
    const locked = await addServer('locked', { useOAuth: true });
    const waiting = () => world.launch({ suiteId, serverIds: [locked] });
    expect(await withoutTrace(database, waiting)).toMatchObject({
      status: 401,
      body: { code: 'OAUTH_REQUIRED' },
    });
  });

  test('can be one of the clients of the suite', async () => {
    const suiteId = await world.suite();
    const other = await addServer('other');
    const [one, two] = [await world.client(), await world.client()];
    await world.patch(suiteId, { hosts: [{ host: one, servers: [other] }, { host: two }] });
    const { body } = await world.launch({ suiteId, namedHostId: one });
    expect(body.servers).toEqual([{ id: other, name: 'other' }]);
    expect(await readRun(body.runId)).toMatchObject({ client: { id: one, source: 'attached_host' } });
    const stranger = await world.client();
    const ask = () => world.launch({ suiteId, namedHostId: stranger });
    expect(await withoutTrace(database, ask)).toMatchObject(
      refusedWith(400, 'HOST_NOT_ATTACHED', { hostIds: [one, two] }),
    );
  });

  test('is refused when its environment changes before it starts', async () => {
    const suiteId = await world.suite();
    const environmentId = await world.environment();
    await world.patch(suiteId, { environmentIds: [environmentId] });
    const before = await snapshotOf(database);
    const holder = await service.database.connect();
    await holder.query('begin');
    await holder.query('select from eval_suites where id = $1 for update', [suiteId]);
    const launched = world.launch({ suiteId });
    // The launch has locked the environment and waits for the suite.
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await database.query(waiting)).rowCount).toBe(1);
    await service.patch(`${world.project}/environments/${environmentId}`, {
      expectedRevision: 1,
      description: 'x',
    });
    await holder.query('commit');
    await holder.end();
    expect(await launched).toMatchObject(refusedWith(409, 'ENVIRONMENT_CHANGED', { currentRevision: 2 }));
    const { environments: _, audit_events: _audit, ...after } = await snapshotOf(database);
    expect(before).toMatchObject(after);
  });
});

describe('tests in the request', () => {
  const tests = [
    { title: 'A', steps: [prompt('a')], model: 'drydock/rehearsal' },
    { title: 'B', steps: [prompt('b')], model: 'drydock/rehearsal', runs: 2 },
    { title: 'A', steps: [prompt('a')], model: 'local/priced' },
  ];

  test('make a suite of their own', async () => {
    const { status, body } = await world.launch({
      suiteName: 'Made here',
      suiteDescription: 'd',
      serverIds: ['harbour'],
      tests,
      passCriteria: { minimumPassRate: 50 },
    });
    expect(status).toBe(202);
    expect(body.caseUpsert.committed.map(({ name }: { name: string }) => name)).toEqual(['A', 'B']);
    expect(await world.read(body.suiteId)).toMatchObject({
      name: 'Made here',
      description: 'd',
      executionConfig: null,
      environment: { servers: ['harbour'] },
      settings: { minimumAccuracy: 50 },
    });
    expect((await trialsOf(body.runId)).map(({ title, model }) => [title, model])).toEqual([
      ['A', 'drydock/rehearsal'],
      ['A', 'local/priced'],
      ['B', 'drydock/rehearsal'],
      ['B', 'drydock/rehearsal'],
    ]);
  });

  test('are stored in a saved suite once, and changed where they differ', async () => {
    const suiteId = await world.suite();
    const first = await world.launch({ suiteId, tests });
    expect(await world.cases(suiteId)).toHaveLength(3);
    expect((await world.read(suiteId)).revisionNumber).toBe(2);
    expect(await readRun(first.body.runId)).toMatchObject({ suiteRevision: 2, progress: { trials: 4 } });
    const again = await world.launch({ suiteId, tests });
    expect(again.body.caseUpsert).toEqual(first.body.caseUpsert);
    expect((await world.read(suiteId)).revisionNumber).toBe(2);
    const other = await world.launch({ suiteId, tests: [{ ...tests[0], model: 'local/other', runs: 3 }] });
    expect((await trialsOf(other.body.runId)).map(({ model }) => model)).toEqual(
      Array(3).fill('local/other'),
    );
    const [, a] = await world.cases(suiteId);
    expect(a).toMatchObject({ title: 'A', iterations: 3, models: [{ model: 'local/other' }] });
    // Without tests it is what is saved.
    expect((await readRun(await world.run({ suiteId }))).progress.trials).toBe(1 + 3 + 2);
  });

  test.each<[string, object, RegExp]>([
    ['neither a suite nor a name', { tests: [] }, /^tests: /],
    ['no suite and no name', { tests: tests.slice(0, 1) }, /suiteId or suiteName/],
    ['a new suite without tests', { suiteName: 'x', serverIds: ['s'] }, /^tests: Required/],
    ['a new suite without servers', { suiteName: 'x', tests }, /^serverIds: Required/],
    [
      'a new suite with an environment',
      { suiteName: 'x', tests, environmentId: 'e' },
      /^environmentId: .*suiteId/,
    ],
    ['hosts of a saved suite', { suiteId: 's', hosts: [] }, /^hosts: Only for a new suite/],
    ['tests and a choice of cases', { suiteId: 's', tests, caseIds: ['c'] }, /^caseIds: /],
    ['too many tests', { suiteName: 'x', serverIds: ['s'], tests: Array(101).fill(tests[0]) }, /^tests: /],
    [
      'a test that nobody can read',
      { suiteName: 'x', serverIds: ['s'], tests: [{ ...tests[0], repetitions: 1 }] },
      /repetitions/,
    ],
    [
      'a test with two negatives',
      {
        suiteName: 'x',
        serverIds: ['s'],
        tests: [tests[1], { ...tests[0], isNegative: true, isNegativeTest: true }],
      },
      /^tests\.1\.isNegativeTest: Cannot be combined with/,
    ],
    ['a field nobody knows', { suiteId: 's', iterations: 3 }, /iterations/],
    ['too many trials', { suiteId: 's', iterationOverride: 11 }, /^iterationOverride: /],
    ['a rate below one', { suiteId: 's', passCriteria: { minimumPassRate: 0.5 } }, /write 80/],
    ['a hash that is none', { suiteId: 's', sourceHash: 'x' }, /^sourceHash: /],
    ['a key that is too long', { suiteId: 's', idempotencyKey: 'x'.repeat(257) }, /^idempotencyKey: /],
    [
      'keys of too many providers',
      {
        suiteId: 's',
        modelApiKeys: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`p${n}`, 'k'])),
      },
      /^modelApiKeys: /,
    ],
  ])('%s: refused, and nothing is written', async (_, body, message) => {
    expect(await withoutTrace(database, () => world.launch(body))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(message) },
    });
  });
});

describe('what is run', () => {
  test('are the cases that are named, by either id', async () => {
    const suiteId = await world.suite({
      tests: ['A', 'B', 'C'].map((title) => ({ title, steps: [prompt(title)] })),
    });
    const [a, , c] = await world.cases(suiteId);
    const runId = await world.run({ suiteId, caseIds: [c.declaredId, a.id, 'nobody'] });
    expect((await trialsOf(runId)).map(({ title }) => title)).toEqual(['A', 'C']);
    const ask = () => world.launch({ suiteId, caseIds: ['nobody'] });
    expect(await withoutTrace(database, ask)).toMatchObject({ status: 404 });
  });

  test('is as many trials as the case, the suite or the request says', async () => {
    const suiteId = await world.suite({ tests: [{ title: 'A', steps: [prompt()], runs: 2 }] });
    const trials = async (body: object = {}) =>
      (await readRun(await world.run({ suiteId, ...body }))).progress.trials;
    expect(await trials()).toBe(2);
    await world.settings(suiteId, { minimumIterations: 3 });
    expect(await trials()).toBe(3);
    expect(await trials({ iterationOverride: 1 })).toBe(1);
    await world.settings(suiteId, { repetitions: 4, passThreshold: 0.5 });
    expect(await trials()).toBe(4);
    const [{ id }] = await world.cases(suiteId);
    await service.patch(world.at(suiteId, `/cases/${id}`), { repetitions: 5, passThreshold: 1 });
    const runId = await world.run({ suiteId });
    expect((await planOf(runId)).cases).toMatchObject([{ trials: 5, passThreshold: 1 }]);
    expect(await readRun(runId)).toMatchObject({ verdictPolicyVersion: 2 });
  });

  test('is judged by the suite, the case and the request, each outdoing the one before', async () => {
    const suiteId = await world.suite({ passCriteria: { minimumPassRate: 90 } });
    await world.settings(suiteId, {
      matchOptions: { toolCallOrder: 'exact', arguments: 'exact', extraToolCalls: 0 },
      checks: [{ type: 'noToolErrors' }],
    });
    const own = { type: 'noDestructiveToolCalled' };
    await world.addCase(suiteId, {
      matchOptions: { arguments: 'ignore' },
      checks: { mode: 'extend', list: [own] },
    });
    const plan = await planOf(
      await world.run({
        suiteId,
        matchOptionsOverride: { maxExtraToolCalls: null },
        passCriteria: { minimumPassRatePercent: 10 },
      }),
    );
    expect(plan).toMatchObject({
      minimumPassRate: 10,
      cases: [
        { match: { order: 'exact', arguments: 'exact', extra: null }, checks: [{ type: 'noToolErrors' }] },
        {
          match: { order: 'exact', arguments: 'ignore', extra: null },
          checks: [{ type: 'noToolErrors' }, own],
        },
      ],
    });
  });

  test('carries what the headers say about whoever launches, and drops what is malformed', async () => {
    const suiteId = await world.suite();
    const launched = async (launcher: string, ci: string) => {
      const headers = { 'x-mcpjam-launcher': launcher, 'x-mcpjam-ci': ci };
      return readRun((await world.launch({ suiteId, notes: 'Nightly' }, { headers })).body.runId);
    };
    const run = await launched(
      '{"kind":"cli","client":"c","extra":1}',
      '{"branch":"main","commitSha":"abc","x":"y"}',
    );
    expect(run).toMatchObject({ notes: 'Nightly', source: 'api' });
    expect(run.launcher).toEqual({ kind: 'cli', client: 'c' });
    expect(run.ciMetadata).toEqual({ branch: 'main', commitSha: 'abc' });
    for (const [launcher, ci] of [
      ['{"kind":"browser"}', '[]'],
      ['{', 'null'],
      [`{"kind":"cli","client":"${'x'.repeat(512)}"}`, `{"branch":"${'x'.repeat(2048)}"}`],
    ] as const) {
      const bare = await launched(launcher, ci);
      expect(bare).not.toHaveProperty('launcher');
      expect(bare).not.toHaveProperty('ciMetadata');
    }
  });
});
