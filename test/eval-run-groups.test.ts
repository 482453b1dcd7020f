import type pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { setPlan } from '../src/domain/operator/organizations.ts';
import { definePlan } from '../src/domain/operator/plans.ts';
import { authoring, type EvalsWorld } from './support/eval-authoring.ts';
import { type Answer, type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
/** Of an organization of its own for each test. */
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
