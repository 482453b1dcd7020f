import type pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fireSchedulesHandler, launchScheduledHandler } from '../src/domain/eval-runs/launch/scheduled.ts';
import { removeMember } from '../src/domain/operator/members.ts';
import { setPlan } from '../src/domain/operator/organizations.ts';
import { definePlan } from '../src/domain/operator/plans.ts';
import type { Account } from '../src/platform/jobs/queue.ts';
import { authoring, type EvalsWorld } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts), { models: true });

const schedule = (suiteId: string, body: object, key = service.key) =>
  service.patch(world.at(suiteId, '/schedule'), body, { key });
const scheduleOf = async (suiteId: string) => (await world.read(suiteId)).schedule;

describe('a schedule', () => {
  test('is switched on and off, and keeps its interval and its environment', async () => {
    const suiteId = await world.suite();
    const environmentId = await world.environment();
    await world.patch(suiteId, { environmentIds: [environmentId] });
    const before = Date.now();
    const me = (await service.get('/me')).body.id;
    const on = await schedule(suiteId, { enabled: true, intervalMinutes: 60, environmentId });
    expect(on).toMatchObject({ status: 200, body: { id: suiteId, revisionNumber: 2 } });
    expect(on.body.schedule).toEqual({
      enabled: true,
      intervalMinutes: 60,
      environmentId,
      state: 'active',
      createdBy: me,
      nextDueAt: expect.any(Number),
      consecutiveFailures: 0,
    });
    const { nextDueAt } = on.body.schedule;
    expect(nextDueAt).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(nextDueAt).toBeLessThan(before + 3_660_000);
    // Asked again, it is not put off; another interval begins now.
    expect((await schedule(suiteId, { enabled: true })).body.schedule.nextDueAt).toBe(nextDueAt);
    expect(
      (await schedule(suiteId, { enabled: true, intervalMinutes: 5 })).body.schedule.nextDueAt,
    ).toBeLessThan(nextDueAt);
    const off = await schedule(suiteId, { enabled: false });
    expect(off.body.schedule).toEqual({
      enabled: false,
      intervalMinutes: 5,
      environmentId,
      state: null,
      createdBy: me,
      nextDueAt: null,
      consecutiveFailures: 0,
    });
    expect((await schedule(suiteId, { enabled: true })).body.schedule).toMatchObject({
      enabled: true,
      intervalMinutes: 5,
      environmentId,
    });
  });

  test.each<[string, object, RegExp]>([
    ['without an interval', { enabled: true }, /^intervalMinutes: Required/],
    ['more often than every five minutes', { enabled: true, intervalMinutes: 4 }, /^intervalMinutes: /],
    ['less often than every week', { enabled: true, intervalMinutes: 10_081 }, /^intervalMinutes: /],
    ['without saying whether', { intervalMinutes: 5 }, /^enabled: Required/],
    ['switched off with an environment', { enabled: false, environmentId: 'env_x' }, /^environmentId: /],
  ])('%s is refused, and nothing is written', async (_, body, message) => {
    const suiteId = await world.suite();
    expect(await withoutTrace(database, () => schedule(suiteId, body))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(message) },
    });
  });

  test('knows at any time which of several environments it uses', async () => {
    const suiteId = await world.suite();
    const [a, b] = [await world.environment(), await world.environment()];
    const stranger = await world.environment();
    await world.patch(suiteId, { environmentIds: [a, b] });
    const on = { enabled: true, intervalMinutes: 60 };
    expect(await withoutTrace(database, () => schedule(suiteId, on))).toMatchObject({
      status: 400,
      body: { details: { reason: 'SCHEDULE_ENVIRONMENT_PIN_REQUIRED', environmentIds: [a, b] } },
    });
    const notAttached = { ...on, environmentId: stranger };
    expect(await withoutTrace(database, () => schedule(suiteId, notAttached))).toMatchObject({
      status: 400,
      body: { details: { reason: 'ENVIRONMENT_NOT_ATTACHED', environmentIds: [a, b] } },
    });
    await schedule(suiteId, { ...on, environmentId: a });
    for (const environmentIds of [[b], null])
      expect(await withoutTrace(database, () => world.patch(suiteId, { environmentIds }))).toMatchObject({
        status: 409,
        body: { details: { reason: 'SCHEDULE_ENVIRONMENT_PINNED', environmentId: a } },
      });
    // While it is off its environment may go, and is then no longer pinned.
    await schedule(suiteId, { enabled: false });
    await world.patch(suiteId, { environmentIds: [b] });
    expect((await schedule(suiteId, { enabled: true })).body.schedule).toMatchObject({ environmentId: null });
    const attach = () => service.post(world.at(suiteId, '/environments'), { environmentId: a });
    for (const ask of [attach, () => world.patch(suiteId, { environmentIds: [a, b] })])
      expect(await withoutTrace(database, ask)).toMatchObject({
        status: 400,
        body: { details: { reason: 'SCHEDULE_ENVIRONMENT_PIN_REQUIRED' } },
      });
    await schedule(suiteId, { enabled: true, environmentId: b });
    expect((await attach()).body).toMatchObject({ attached: true, environmentIds: [b, a] });
  });
});

describe('when its time has come', () => {
  const signal = new AbortController().signal;

  /** Runs the worker's step at a given time. */
  async function fire(): Promise<void> {
    const launch = launchScheduledHandler(service.running.services);
    const commit = await fireSchedulesHandler.handle({}, signal);
    if (commit) await service.db.transaction(commit);
    const jobs = await database.query<{ payload: unknown; organization_id: string; user_id: string }>(
      `delete from jobs where kind = 'launch-scheduled-eval' returning payload, organization_id, user_id`,
    );
    for (const { payload, organization_id: organizationId, user_id: userId } of jobs.rows)
      await launch.handle(payload, signal, { organizationId, userId } satisfies Account);
  }
  const due = (suiteId: string) =>
    database.query(`update eval_suites set schedule_due_at = now() - interval '90 minutes' where id = $1`, [
      suiteId,
    ]);
  const runsOf = async (suiteId: string) => (await service.get(world.at(suiteId, '/runs'))).body.items;

  test('a run is launched, once, and the next time is ahead', async () => {
    const suiteId = await world.suite();
    await schedule(suiteId, { enabled: true, intervalMinutes: 60 });
    await fire();
    expect(await runsOf(suiteId)).toEqual([]);
    await due(suiteId);
    await fire();
    await fire();
    expect(await runsOf(suiteId)).toMatchObject([{ source: 'schedule', status: 'pending' }]);
    const { nextDueAt, state } = await scheduleOf(suiteId);
    expect(state).toBe('active');
    // The schedule was due 1.5 hours ago, so the next full hour is in 30 minutes.
    expect(Math.abs(nextDueAt - Date.now() - 1_800_000)).toBeLessThan(60_000);
  });

  test('a time at which no further run may start is passed over, and a spent budget pauses it', async () => {
    const suiteId = await world.suite({ model: 'local/priced' });
    await schedule(suiteId, { enabled: true, intervalMinutes: 60 });
    const runId = await world.run({ suiteId });
    await definePlan(service.db, 'small', { concurrentEvalRuns: '1' });
    await setPlan(service.db, undefined, 'small');
    onTestFinished(async () => {
      await definePlan(service.db, 'small', { concurrentEvalRuns: 'unlimited', credits: 'unlimited' });
    });
    await due(suiteId);
    await fire();
    expect(await scheduleOf(suiteId)).toMatchObject({ state: 'active', consecutiveFailures: 0 });
    expect(await runsOf(suiteId)).toHaveLength(1);
    await world.cancel(runId);
    await definePlan(service.db, 'small', { credits: '0', concurrentEvalRuns: 'unlimited' });
    await due(suiteId);
    await fire();
    expect(await scheduleOf(suiteId)).toMatchObject({
      state: 'paused_quota',
      consecutiveFailures: 1,
      nextDueAt: null,
    });
  });

  test('launches that fail again and again pause it, and switching it on ends the pause', async () => {
    const suiteId = await world.suite();
    await schedule(suiteId, { enabled: true, intervalMinutes: 60 });
    await world.patch(suiteId, { executionConfig: { model: 'nobody/knows' } });
    for (let failed = 1; failed <= 5; failed++) {
      expect(await scheduleOf(suiteId)).toMatchObject({ state: 'active', consecutiveFailures: failed - 1 });
      await due(suiteId);
      await fire();
    }
    expect(await scheduleOf(suiteId)).toMatchObject({
      enabled: true,
      state: 'paused_failures',
      consecutiveFailures: 5,
      nextDueAt: null,
    });
    await schedule(suiteId, { enabled: true });
    expect(await scheduleOf(suiteId)).toMatchObject({ state: 'active', consecutiveFailures: 0 });
    expect(await runsOf(suiteId)).toEqual([]);
  });

  test('it runs as whoever set it, and pauses when that one may no longer', async () => {
    const suiteId = await world.suite();
    const member = await service.member('member');
    await schedule(suiteId, { enabled: true, intervalMinutes: 60 }, member.key);
    expect(await scheduleOf(suiteId)).toMatchObject({ createdBy: member.userId });
    const organization = (await service.get('/organizations')).body.items[0].id as string;
    await removeMember(service.db, { organization }, member.userId);
    await due(suiteId);
    await fire();
    expect(await scheduleOf(suiteId)).toMatchObject({ enabled: true, state: 'paused_auth', nextDueAt: null });
    expect(await runsOf(suiteId)).toEqual([]);
  });
});
