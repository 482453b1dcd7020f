import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import { inspects, judgedBy, judgesOf, suiteJudged, verdict } from './support/judging.ts';
import { expectConsistent } from './support/run-facts.ts';
import type { Reply, ScriptedProvider } from './support/scripted-provider.ts';
import { startForTest, type TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;
let organization: string;
let env: Record<string, string>;

executing(async (parts) => {
  ({ provider, service, evals, env } = parts);
  server = await evals.server();
  organization = (await service.get('/organizations')).body.items[0].id;
});
beforeEach(() => {
  provider.script = judgedBy(inspects, () => verdict(1));
});

const suiteWith = (judge: object, repetitions?: number) => suiteJudged(evals, server, judge, repetitions);
const of = (runId: string) => `${evals.project}/eval-runs/${runId}`;

async function overRun(repetitions = 1): Promise<{ suiteId: string; runId: string }> {
  const suiteId = await suiteWith({}, repetitions);
  const runId = await evals.launch({ suiteId });
  await evals.decided(runId);
  return { suiteId, runId };
}

async function connected(): Promise<pg.Client> {
  const client = await service.database.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A judge that says these things, and then nothing; resolves when it falls silent. */
function silentAfter(...said: Reply[]): Promise<void> {
  return new Promise((resolve) => {
    provider.script = judgedBy(inspects, () => said.shift() ?? (resolve(), { silent: true }));
  });
}

const spent = async (): Promise<number> =>
  (await service.get(`/organizations/${organization}/spend-budget`)).body.spentCredits;

test('who asks again takes the job before the judgement, as the job does that ends it', async () => {
  const { runId } = await overRun();
  const silent = silentAfter();
  expect((await service.post(`${of(runId)}/judge`)).status).toBe(202);
  await silent;
  const client = await connected();
  await client.query(`begin; set local lock_timeout = '300ms'`);
  await client.query(
    `select from jobs where id = (select job_id from eval_run_judgements where run_id = $1) for update`,
    [runId],
  );
  provider.script = judgedBy(inspects, () => verdict(0.3));
  const again = service.post(`${of(runId)}/judge`, { force: true });
  const watcher = await connected();
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => (await watcher.query(waits)).rowCount).toBe(1);
  const ends = `update eval_run_judgements set status = 'completed' where run_id = $1`;
  await expect(client.query(ends, [runId])).resolves.toMatchObject({ rowCount: 1 });
  await client.query('rollback');
  expect((await again).status).toBe(202);
  expect((await judgesOf(evals, runId)).goalCompletion).toMatchObject({ cases: [{ score: 0.3 }] });
});

test('a run that is cancelled while its judge is applied is counted by what its trials say', async () => {
  const client = await connected();
  await client.query(`create function hold_regrade() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(424242); return new; end $$;
    create trigger hold_regrade before update on eval_results for each row execute function hold_regrade();
    select pg_advisory_lock(424242)`);
  onTestFinished(async () => {
    const after = await service.database.connect();
    await after.query('drop trigger hold_regrade on eval_results; drop function hold_regrade()');
    await after.end();
  });
  provider.script = judgedBy(inspects, () => verdict(0));
  const suiteId = await suiteWith({ autoRun: true });
  const runId = await evals.launch({ suiteId });
  const watcher = await connected();
  const waiting = `select from pg_locks where locktype = 'advisory' and objid = 424242 and not granted`;
  await expect.poll(async () => (await watcher.query(waiting)).rowCount).toBe(1);
  let over = false;
  const cancelled = service.post(`${of(runId)}/cancel`).finally(() => {
    over = true;
  });
  const behind = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => over || (await watcher.query(behind)).rowCount === 2).toBe(true);
  await client.query('select pg_advisory_unlock(424242)');
  expect(await cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', result: null } });
  const writing = `select from pg_locks where relation = 'eval_results'::regclass and mode = 'RowExclusiveLock'`;
  await expect.poll(async () => (await watcher.query(writing)).rowCount).toBe(0);
  await expectConsistent(evals, runId);
  const { summary } = await evals.read(runId);
  const { items } = (await service.get(`${evals.project}/eval-suites`)).body;
  const { totals } = items.find(({ id }: { id: string }) => id === suiteId);
  expect(totals).toMatchObject({ passed: summary.passed, failed: summary.failed });
});

test('what a judge has spent so far counts, and is booked when its suite is deleted', async () => {
  const { runId, suiteId } = await overRun(2);
  const before = await spent();
  const silent = silentAfter({ ...verdict(1), usage: { input: 1_000_000, output: 0 } });
  expect((await service.post(`${of(runId)}/judge`)).status).toBe(202);
  await silent;
  // A million tokens at ten dollars.
  await expect.poll(spent).toBe(before + 1000);
  const budget = `/organizations/${organization}/spend-budget`;
  expect((await service.request('PUT', budget, { body: { capUsd: (before + 500) / 100 } })).status).toBe(200);
  const refused = await service.post(`${of(runId)}/judge`, { force: true });
  expect(refused).toMatchObject({ status: 429, body: { details: { reason: 'SPEND_BUDGET_REACHED' } } });
  expect((await service.request('DELETE', budget)).status).toBeLessThan(300);
  expect((await service.request('DELETE', `${evals.project}/eval-suites/${suiteId}`)).status).toBe(200);
  const client = await connected();
  const left = 'select from eval_runs where id = $1';
  await expect.poll(async () => (await client.query(left, [runId])).rowCount).toBe(0);
  expect(await spent()).toBe(before + 1000);
});

test('a run that cannot be decided when its judge had its time ends', async () => {
  const silent = silentAfter();
  const runId = await evals.launch({ suiteId: await suiteWith({ autoRun: true }) });
  await silent;
  const client = await connected();
  const givenUp = `insert into jobs (id, kind, payload, unique_key, attempts, due_at, organization_id)
    values ($2, 'decide-eval-run', jsonb_build_object('runId', $1::text), $2, 5, now(), '')`;
  const tell = `select pg_notify('drydock_jobs', '')`;
  await client.query(givenUp, [runId, 'job_early']);
  await client.query(tell);
  const failed = `select from jobs where id = 'job_early' and state = 'failed'`;
  await expect.poll(async () => (await client.query(failed)).rowCount).toBe(1);
  expect(await evals.read(runId)).toMatchObject({ status: 'grading' });
  await client.query(`update eval_runs set deadline_at = now() - interval '1 s' where id = $1`, [runId]);
  await client.query(givenUp, [runId, 'job_late']);
  await client.query(tell);
  expect(await evals.decided(runId)).toMatchObject({
    status: 'timed_out',
    result: null,
    judges: { goalCompletion: { status: 'failed', errorCode: 'run_ended' } },
  });
  await expectConsistent(evals, runId);
});

test('of requests that come together as many are taken as the day has', async () => {
  const client = await connected();
  const { runId } = await overRun();
  const { runId: other } = await overRun();
  await client.query(
    `insert into plans (name, limits, features)
     select 'tiny', jsonb_build_object('insightsPerDay', coalesce(max(position), 0) + 3), '{}' from ledger_entries
     where budget = 'insightsPerDay'`,
  );
  await client.query(`update organizations set plan = 'tiny'`);
  const paths = [
    `${of(runId)}/judge`,
    `${of(other)}/judge`,
    `${of(runId)}/insights`,
    `${of(other)}/insights`,
  ];
  const answers = await Promise.all([...paths, ...paths].map((path) => service.post(path, { force: true })));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([202, 202, 202, 429, 429, 429, 429, 429]);
});

test('judges and insights that wait for a model leave room for runs to be decided', {
  tags: ['long'],
}, async () => {
  const other = await startForTest({ env });
  const mine = await Evals.of(other);
  let asked = 0;
  provider.script = (request) => {
    const text = JSON.stringify(request.body.messages);
    if (!/You judge|You explain/.test(text)) return { text: 'Done.' };
    asked++;
    return { silent: true };
  };
  const tests = [promptCase('Fails', 'Say ahoy.', { type: 'responseContains', needle: 'ahoy' })];
  const suiteId = await mine.suite({
    serverIds: [await mine.server()],
    repetitions: 1,
    passThreshold: 1,
    tests,
  });
  for (const what of ['judge', 'judge', 'judge', 'insights', 'insights', 'insights']) {
    const runId = await mine.launch({ suiteId });
    await mine.decided(runId);
    expect((await other.post(`${mine.project}/eval-runs/${runId}/${what}`)).status).toBe(202);
  }
  await expect.poll(() => asked).toBe(4);
  const decided = mine.decided(await mine.launch({ suiteId })).then(({ status }) => status as string);
  expect(await Promise.race([decided, delay(10_000, 'not decided', { ref: false })])).toBe('completed');
});
