import type pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { setPlan } from '../src/domain/operator/organizations.ts';
import { definePlan } from '../src/domain/operator/plans.ts';
import { authoring, EvalsWorld, prompt } from './support/eval-authoring.ts';
import { type Answer, type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
/** Each test has a world in its own organization. */
let world: EvalsWorld;
let organizationId: string;
let suiteId: string;

authoring(
  async (parts) => {
    ({ service, database, world, organizationId } = parts);
    suiteId = await world.suite();
  },
  {
    models: true,
    env: { DRYDOCK_MAX_MODEL_CALLS: '40' },
    strangers: true,
    prepare: async (made) => {
      for (const most of ['1', '2']) await definePlan(made.db, `plan ${most}`, { concurrentEvalRuns: most });
    },
  },
);

const runsOf = async () =>
  (
    await database.query<{ id: string; run_group_id: string | null }>(
      'select id, run_group_id from eval_runs where project_id = $1 order by id',
      [world.projectId],
    )
  ).rows;
const statuses = (answers: readonly Answer[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);
const atOnce = (most: 1 | 2) => setPlan(service.db, organizationId, `plan ${most}`);
const full = {
  status: 429,
  body: { code: 'RATE_LIMITED', details: { reason: 'CONCURRENT_RUN_LIMIT', maxConcurrentRuns: 1 } },
};

describe('runs at once', () => {
  test('are as many as the organization may have, and one that is over makes room', async () => {
    await atOnce(2);
    const first = await world.run({ suiteId });
    await world.run({ suiteId });
    const refused = await withoutTrace(database, () => world.launch({ suiteId }));
    expect(refused).toMatchObject({
      status: 429,
      body: { details: { reason: 'CONCURRENT_RUN_LIMIT', maxConcurrentRuns: 2 } },
    });
    // Validation errors come first and use no quota.
    expect(await world.launch({ suiteId, model: 'nobody/knows' })).toMatchObject({ status: 400 });
    await world.cancel(first);
    expect(await world.launch({ suiteId })).toMatchObject({ status: 202 });
    const other = await EvalsWorld.make(service);
    expect(await other.launch({ suiteId: await other.suite() })).toMatchObject({ status: 202 });
  });

  test('that are launched at the same moment share what room there is', async () => {
    await atOnce(2);
    const suites = [suiteId, await world.suite(), await world.suite()];
    // More launches than the service has database connections.
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => world.launch({ suiteId: suites[n % 3] as string })),
    );
    expect(statuses(answers)).toEqual([202, 202, ...Array<number>(10).fill(429)]);
    expect(await runsOf()).toHaveLength(2);
  });

  test('of a project that is deleted count no more', async () => {
    await atOnce(1);
    const other = await EvalsWorld.make(service, world.key);
    await other.run({ suiteId: await other.suite() });
    expect(await world.launch({ suiteId })).toMatchObject(full);
    expect(await service.delete(other.project, { key: world.key })).toMatchObject({ status: 200 });
    expect(await world.launch({ suiteId })).toMatchObject({ status: 202 });
  });

  test('under one group of the caller count as one for each ten', async () => {
    await atOnce(1);
    const launched: Answer[] = [];
    for (let n = 0; n < 11; n++) launched.push(await world.launch({ suiteId, runGroupId: 'mine' }));
    expect(
      launched.slice(0, 10).every(({ status, body }) => status === 202 && body.runGroupId === 'mine'),
    ).toBe(true);
    expect(launched[10]).toMatchObject(full);
    expect(await world.launch({ suiteId, runGroupId: 'other' })).toMatchObject(full);
  });

  test('prompt models as often as is allowed', async () => {
    const steps = Array.from({ length: 5 }, (_, n) => prompt('x', String(n)));
    await world.addCase(suiteId, {
      steps,
      models: [{ model: 'drydock/rehearsal' }, { model: 'local/other' }],
    });
    expect(await world.launch({ suiteId, iterationOverride: 3 })).toMatchObject({ status: 202 });
    const ask = () => world.launch({ suiteId, iterationOverride: 4 });
    expect(await withoutTrace(database, ask)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/caseIds/), details: { totalCalls: 44, cap: 40 } },
    });
  });
});

describe('a launch that comes again with its key', () => {
  test.each<[string, object, object]>([
    ['Idempotency-Key', { headers: { 'Idempotency-Key': ' k ' } }, {}],
    ['x-mcpjam-idempotency-key', { headers: { 'x-mcpjam-idempotency-key': 'k' } }, {}],
    ['the body', {}, { idempotencyKey: ' k ' }],
  ])('in %s gets the same run, as it is now', async (_, options, fields) => {
    await atOnce(1);
    const body = { suiteId, notes: 'n', ...fields };
    const first = await world.launch(body, options);
    expect(first.body).not.toHaveProperty('deduped');
    const again = await withoutTrace(database, () => world.launch(body, options));
    expect(again).toMatchObject({ status: 202, body: { ...first.body, deduped: true } });
    await world.cancel(first.body.runId);
    expect((await world.launch(body, options)).body).toMatchObject({ status: 'cancelled', deduped: true });
    const other = () => world.launch({ ...body, notes: 'm' }, options);
    expect(await withoutTrace(database, other)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { reason: 'IDEMPOTENCY_KEY_REUSED', runId: first.body.runId } },
    });
  });

  test('in the header outdoes the body, and a blank one is none', async () => {
    const headers = { 'idempotency-key': 'header' };
    const first = await world.launch({ suiteId, idempotencyKey: 'a' }, { headers });
    expect((await world.launch({ suiteId, idempotencyKey: 'b' }, { headers })).body.runId).toBe(
      first.body.runId,
    );
    const blank = { suiteId, idempotencyKey: '  ' };
    expect((await world.launch(blank)).body.runId).not.toBe((await world.launch(blank)).body.runId);
  });

  test('at the same moment makes one run, also of the last slot', async () => {
    await atOnce(1);
    const headers = { 'idempotency-key': 'crowd' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.launch({ suiteId }, { headers })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.deduped)).toHaveLength(1);
    const tests = [{ title: 'New', steps: [prompt()], model: 'drydock/rehearsal' }];
    const fresh = { suiteName: 'New', serverIds: ['harbour'], tests, idempotencyKey: 'crowd of suites' };
    await world.cancel(answers[0]?.body.runId);
    const made = await Promise.all(Array.from({ length: 5 }, () => world.launch(fresh)));
    expect(new Set(made.map(({ body }) => body.suiteId)).size).toBe(1);
    expect((await runsOf()).length).toBe(2);
  });

  test('of another project is another', async () => {
    const other = await EvalsWorld.make(service, world.key);
    const headers = { 'idempotency-key': 'common' };
    const mine = await world.launch({ suiteId }, { headers });
    const theirs = await other.launch({ suiteId: await other.suite() }, { headers });
    expect(theirs).toMatchObject({ status: 202 });
    expect(theirs.body.runId).not.toBe(mine.body.runId);
  });
});

describe('a cancelled run', () => {
  const ask = (runId: string, key = world.key) =>
    service.post(`${world.project}/eval-runs/${runId}/cancel`, undefined, { key });

  test('stays cancelled, its trials never start, and it counts no more', async () => {
    const runId = await world.run({ suiteId, iterationOverride: 3 });
    const first = await ask(runId);
    expect(first).toMatchObject({
      status: 200,
      body: {
        id: runId,
        status: 'cancelled',
        result: null,
        stopReason: 'user_cancelled',
        completedAt: expect.any(Number),
      },
    });
    const again = await ask(runId);
    expect(again).toMatchObject({ status: 200, body: first.body });
    const open = await database.query('select from eval_trials where run_id = $1 and due_at is not null', [
      runId,
    ]);
    expect(open.rowCount).toBe(0);
  });

  test('is cancelled once by many at once', async () => {
    const runId = await world.run({ suiteId });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(runId)));
    expect(statuses(answers)).toEqual(Array<number>(8).fill(200));
    const events = await database.query(
      `select from eval_run_events where run_id = $1 and data ->> 'type' = 'run.decided'`,
      [runId],
    );
    expect(events.rowCount).toBe(1);
  });

  test.each([
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['timed_out', 'timed out'],
  ])('is not one that is %s', async (status, word) => {
    const runId = await world.run({ suiteId });
    await database.query('update eval_runs set status = $2 where id = $1', [runId, status]);
    expect(await withoutTrace(database, () => ask(runId))).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: `Cannot cancel a run that already ${word}`, details: { status } },
    });
  });

  test('is one of the project', async () => {
    const other = await EvalsWorld.make(service);
    const runId = await other.run({ suiteId: await other.suite() });
    expect(await withoutTrace(database, () => ask(runId))).toMatchObject({ status: 404 });
    expect(await ask('run_nobody')).toMatchObject({ status: 404 });
  });
});

describe('a group of runs', () => {
  let environments: string[];
  const target = (environmentId: string) => ({ environmentId });
  beforeEach(async () => {
    environments = [await world.environment(), await world.environment(), await world.environment()];
    await world.patch(suiteId, { environmentIds: environments.slice(0, 2) });
  });

  test('has a run for each target, and counts as one', async () => {
    await atOnce(1);
    const [a, b] = environments as [string, string];
    const { status, body } = await world.launchGroup({
      suiteId,
      targets: [target(a), target(b), target(a)],
      notes: 'n',
    });
    expect(status).toBe(202);
    const started = (environmentId: string) => ({
      target: { environmentId, name: expect.any(String) },
      status: 'started',
      runId: expect.any(String),
      runStatus: 'pending',
      servers: [world.server],
      environment: { id: environmentId, name: expect.any(String), revision: 1 },
      caseUpsert: { committed: [], failed: [] },
    });
    expect(body).toEqual({
      runGroupId: expect.any(String),
      suiteId,
      outcome: 'started',
      startedCount: 2,
      failedCount: 0,
      targets: [started(a), started(b)],
      runId: body.targets[0].runId,
      status: 'pending',
      servers: [world.server],
      environment: body.targets[0].environment,
      caseUpsert: { committed: [], failed: [] },
    });
    expect((await runsOf()).map(({ run_group_id: group }) => group)).toEqual(Array(2).fill(body.runGroupId));
    const more = { suiteId, targets: [target(a)] };
    expect(await withoutTrace(database, () => world.launchGroup(more))).toMatchObject(full);
    expect(await world.launch({ suiteId, environmentId: a })).toMatchObject(full);
  });

  test('of clients is one of clients alone', async () => {
    await world.patch(suiteId, { environmentIds: null });
    const [one, two] = [await world.client(), await world.client()];
    await world.patch(suiteId, { hosts: [{ host: one }, { host: two }] });
    const hosts = [{ namedHostId: one }, { namedHostId: two }];
    const { body } = await world.launchGroup({ suiteId, targets: hosts });
    expect(body).toMatchObject({ outcome: 'started', targets: hosts.map((host) => ({ target: host })) });
    for (const [targets, expected] of [
      [[...hosts, target('env_x')], { details: { reason: 'HETEROGENEOUS_TARGETS' } }],
      [
        [{ ...hosts[0], environmentId: 'env_x' }],
        { message: expect.stringMatching(/^targets\.0: .*exactly one/) },
      ],
      [[{}], { message: expect.stringMatching(/^targets\.0: .*exactly one/) }],
      [[], { message: expect.stringMatching(/^targets: /) }],
      [Array(11).fill(hosts[0]), { message: expect.stringMatching(/^targets: /) }],
    ] as const)
      expect(await withoutTrace(database, () => world.launchGroup({ suiteId, targets }))).toMatchObject({
        status: 400,
        body: expected,
      });
  });

  test('starts no run unless all can', async () => {
    const [a, b, stranger] = environments as [string, string, string];
    const refuses = async (body: object, expected: object) =>
      expect(await withoutTrace(database, () => world.launchGroup({ suiteId, ...body }))).toMatchObject(
        expected,
      );
    await refuses(
      { targets: [target(a), target(stranger)] },
      { status: 400, body: { details: { reason: 'ENVIRONMENT_NOT_ATTACHED' } } },
    );
    await refuses({ targets: [target(a)], caseIds: ['nobody'] }, { status: 404 });
    const modelId = 'nobody/knows';
    await service.patch(
      `${world.project}/environments/${b}`,
      { expectedRevision: 1, modelId },
      { key: world.key },
    );
    await refuses(
      { targets: [target(a), target(b)] },
      {
        status: 400,
        body: { details: { model: modelId, hostedModels: expect.arrayContaining(['local/priced']) } },
      },
    );
    await service.post(
      `${world.project}/environments/${b}/archive`,
      { expectedRevision: 2 },
      { key: world.key },
    );
    await refuses(
      { targets: [target(a), target(b)] },
      { status: 409, body: { details: { code: 'ENV_ARCHIVED' } } },
    );
  });

  test('says which of its runs did not start', async () => {
    const [a, , stranger] = environments as [string, string, string];
    const { body: locked } = await service.post(
      `${world.project}/servers`,
      { name: 'locked', url: await service.demoUrl(), useOAuth: true },
      { key: world.key },
    );
    const hostId = await world.client({ serverIds: [locked.id] });
    await service.patch(
      `${world.project}/environments/${stranger}`,
      { expectedRevision: 1, hostId },
      { key: world.key },
    );
    const asked = { suiteId, ephemeralEnvironment: true };
    const some = await world.launchGroup({ ...asked, targets: [target(stranger), target(a)] });
    expect(some).toMatchObject({
      status: 202,
      body: {
        outcome: 'partial',
        startedCount: 1,
        failedCount: 1,
        targets: [
          {
            target: { environmentId: stranger, name: expect.any(String) },
            status: 'failed',
            error: { code: 'OAUTH_REQUIRED' },
          },
          { target: { environmentId: a }, status: 'started' },
        ],
        runId: expect.any(String),
        environment: { id: a },
      },
    });
    const none = await world.launchGroup({ ...asked, targets: [target(stranger)] });
    expect(none).toMatchObject({ status: 202, body: { outcome: 'failed', startedCount: 0, failedCount: 1 } });
    expect(none.body).not.toHaveProperty('runId');
  });

  test('comes again with its key, also when a target could no longer be chosen', async () => {
    await atOnce(1);
    const headers = { 'x-mcpjam-idempotency-key': 'group' };
    const body = { suiteId, targets: environments.slice(0, 2).map(target) };
    const answers = await Promise.all(Array.from({ length: 4 }, () => world.launchGroup(body, { headers })));
    expect(statuses(answers)).toEqual([202, 202, 202, 202]);
    expect(await runsOf()).toHaveLength(2);
    const ids = (answer: Answer) => answer.body.targets.map(({ runId }: { runId: string }) => runId);
    for (const answer of answers) expect(ids(answer)).toEqual(ids(answers[0] as Answer));
    await world.patch(suiteId, { environmentIds: null });
    const again = await withoutTrace(database, () => world.launchGroup(body, { headers }));
    expect(again.body).toMatchObject({
      runGroupId: answers[0]?.body.runGroupId,
      outcome: 'started',
      targets: [{ deduped: true }, { deduped: true }],
    });
    expect(ids(again)).toEqual(ids(answers[0] as Answer));
    const other = () => world.launchGroup({ ...body, notes: 'other' }, { headers });
    expect(await withoutTrace(database, other)).toMatchObject({
      status: 409,
      body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });
});
