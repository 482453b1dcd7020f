import { afterAll, beforeAll, expect, test } from 'vitest';
import { fireSchedulesHandler } from '../src/domain/eval-runs/launch/scheduled.ts';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import { Evals, promptCase } from './support/evals.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let replica: TestService;
let evals: Evals;
let server: string;

beforeAll(async () => {
  service = await startTestService();
  replica = await startTestService({
    database: service.database,
    dataDir: service.running.services.config.dataDir,
  });
  evals = await Evals.of(service);
  server = await evals.server();
});
afterAll(async () => {
  await replica?.stop();
  await dispose(service);
});

const minutes = (count: number): number => count * 60_000;

/** Fires the due schedules on two replicas at the same moment, as their workers do every few seconds. */
async function fire(): Promise<void> {
  await Promise.all(
    [service, replica].map(async ({ running: { services } }) => {
      const commit = await fireSchedulesHandler.handle({}, new AbortController().signal);
      if (commit) await services.db.transaction(commit);
    }),
  );
}

async function scheduledSuite(key?: string): Promise<string> {
  const tests = [
    promptCase('Lists', 'List the ships', { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' }),
  ];
  const suiteId = await evals.suite({ serverIds: [server], model: 'drydock/rehearsal', tests });
  const body = { enabled: true, intervalMinutes: 60 };
  const path = `${evals.project}/eval-suites/${suiteId}/schedule`;
  const answer = await service.patch(path, body, key === undefined ? {} : { key });
  expect(answer).toMatchObject({ status: 200, body: { schedule: { enabled: true, state: 'active' } } });
  return suiteId;
}

async function dueSince(suiteId: string, ms: number): Promise<void> {
  const database = await service.database.connect();
  await database.query(
    `update eval_suites set schedule_due_at = now() - $2 * interval '1 ms' where id = $1`,
    [suiteId, ms],
  );
  await database.end();
}

async function runsOf(suiteId: string): Promise<{ source: string; status: string; id: string }[]> {
  return (await service.get(`${evals.project}/eval-suites/${suiteId}/runs`)).body.items;
}

async function scheduleOf(suiteId: string) {
  return (await service.get(`${evals.project}/eval-suites/${suiteId}`)).body.schedule;
}

/** Polls, because a worker launches the run in a separate job. */
async function until<T>(look: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await look();
    if (done(value) || tries > 200) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a time that has come is fired once by two replicas, and one that was slept through is made up for once', async () => {
  const suiteId = await scheduledSuite();
  await dueSince(suiteId, minutes(200));
  await fire();
  const runs = await until(
    () => runsOf(suiteId),
    (all) => all.length > 0,
  );
  await fire();
  expect(runs).toMatchObject([{ source: 'schedule' }]);
  const { nextDueAt, consecutiveFailures, state } = await scheduleOf(suiteId);
  expect({ consecutiveFailures, state }).toEqual({ consecutiveFailures: 0, state: 'active' });
  // 200 minutes late at an hourly interval: the missed times are skipped.
  expect(nextDueAt - Date.now()).toBeGreaterThan(minutes(39));
  expect(nextDueAt - Date.now()).toBeLessThanOrEqual(minutes(40));
  await evals.decided((runs[0] as { id: string }).id);
  expect(await runsOf(suiteId)).toMatchObject([{ source: 'schedule', status: 'completed' }]);
});

test('a schedule whose user may no longer enter pauses, and switching it on again ends the pause', async () => {
  const { key, userId } = await service.member('member');
  const suiteId = await scheduledSuite(key);
  const organization = (await service.get('/organizations')).body.items[0].id as string;
  await removeMember(service.db, { organization }, userId);
  await dueSince(suiteId, 0);
  await fire();
  const paused = await until(
    () => scheduleOf(suiteId),
    ({ state }) => state !== 'active',
  );
  expect(paused).toMatchObject({ enabled: true, state: 'paused_auth', nextDueAt: null });
  expect(await runsOf(suiteId)).toEqual([]);
  await setMember(service.db, { organization }, { user: userId, role: 'member' });
  const path = `${evals.project}/eval-suites/${suiteId}/schedule`;
  expect((await service.patch(path, { enabled: true })).body.schedule).toMatchObject({ state: 'active' });
});

test('launches that keep failing pause after five, and one that works starts the count again', async () => {
  const suiteId = await scheduledSuite();
  const path = `${evals.project}/servers/${server}`;
  await service.patch(path, { enabled: false });
  const failed: number[] = [];
  for (let nth = 1; nth <= 5; nth++) {
    await dueSince(suiteId, nth);
    await fire();
    const { consecutiveFailures } = await until(
      () => scheduleOf(suiteId),
      (schedule) => schedule.consecutiveFailures >= nth,
    );
    failed.push(consecutiveFailures);
  }
  await service.patch(path, { enabled: true });
  expect(failed).toEqual([1, 2, 3, 4, 5]);
  expect(await scheduleOf(suiteId)).toMatchObject({ state: 'paused_failures', nextDueAt: null });
  await dueSince(suiteId, 0);
  await service.patch(`${evals.project}/eval-suites/${suiteId}/schedule`, { enabled: true });
  await dueSince(suiteId, 0);
  await fire();
  await until(
    () => runsOf(suiteId),
    (all) => all.length > 0,
  );
  expect(await scheduleOf(suiteId)).toMatchObject({ state: 'active', consecutiveFailures: 0 });
});
