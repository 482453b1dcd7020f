// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import { expectConsistent } from './support/run-facts.ts';
import { callThenAnswer, type Script, type ScriptedProvider } from './support/scripted-provider.ts';
import { type TestService } from './support/service.ts';

/** Concurrent changes during a run. */

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    server = await evals.server();
  },
  { keep: 0 },
);

const inspects = callThenAnswer({ name: 'inspect_hull', input: { ship: 'Albatross' } });
const slowly =
  (latencyMs: number): Script =>
  (request) => ({ ...inspects(request), latencyMs });

async function launched(repetitions: number, where = evals, serverId = server): Promise<string> {
  const suiteId = await where.suite({
    serverIds: [serverId],
    repetitions,
    passThreshold: 1,
    tests: [promptCase('Inspects', 'May the Albatross sail?')],
  });
  return where.launch({ suiteId });
}

async function until(done: () => Promise<boolean>, patience = 60_000): Promise<void> {
  const ends = Date.now() + patience;
  while (!(await done())) {
    if (Date.now() > ends) throw new Error('it did not come to it');
    await delay(10);
  }
}

const finished = (runId: string, n: number) =>
  until(async () => (await evals.read(runId)).progress.finished >= n);

async function query<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
  const client = await service.database.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

test('a run that is cancelled while trials are recorded has the results that it counts', {
  tags: ['long'],
}, async () => {
  // Far more trials than are waited for: a busy machine must not finish a run before it is cancelled.
  provider.script = slowly(20);
  const runs = await Promise.all(Array.from({ length: 4 }, () => launched(100)));
  await Promise.all(
    runs.map(async (runId, nth) => {
      await finished(runId, 1 + 3 * nth);
      const cancel = () => service.post(`${evals.project}/eval-runs/${runId}/cancel`);
      const answers = await Promise.all([cancel(), cancel(), cancel()]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    }),
  );
  for (const runId of runs) await expectConsistent(evals, runId);
});

test('a run is decided as soon as its last trial is recorded, however long the commit takes', async () => {
  provider.script = slowly(0);
  await query(`create function sleep_at_commit() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.3); return null; end $$`);
  await query(`create constraint trigger slow_commit after insert on eval_tally deferrable initially deferred
    for each row execute function sleep_at_commit()`);
  const runId = await launched(1);
  const events = await evals.follow(runId);
  await query('drop trigger slow_commit on eval_tally');
  const last = events.findLast(({ data }) => data.type === 'trial.finished');
  expect(events.at(-1)?.data.at - last?.data.at).toBeLessThan(4_000);
});

test('a database that drops every connection again and again loses no trial and blames no model', async () => {
  provider.script = slowly(20);
  const runId = await launched(40);
  await finished(runId, 1);
  const logged = service.logs.length;
  const client = await service.database.connect();
  for (let n = 0; n < 5; n++) {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await delay(100);
  }
  await client.end();
  await until(async () => {
    const { status, body } = await service.get(`${evals.project}/eval-runs/${runId}`);
    return status === 200 && /completed|failed/.test(body.status as string);
    // At worst the lease of a job has to run out, and then whoever looks for what is left comes round.
  }, 60_000);
  expect(await evals.read(runId)).toMatchObject({ status: 'completed', summary: { total: 40, passed: 40 } });
  await expectConsistent(evals, runId);
  expect(service.logs.slice(logged).filter((line) => line.includes('Failed after the last attempt'))).toEqual(
    [],
  );
});

test('a server that is edited or deleted meanwhile is not used any more, and the run is decided', async () => {
  for (const change of ['edited', 'deleted']) {
    // Long enough that most trials are still to come when the first has ended.
    provider.script = slowly(200);
    const own = await evals.server();
    const runId = await launched(60, evals, own);
    await finished(runId, 1);
    const path = `${evals.project}/servers/${own}`;
    const { status } =
      change === 'edited' ? await service.patch(path, { timeout: 9_000 }) : await service.delete(path);
    expect(status).toBe(200);
    await evals.follow(runId);
    const { items } = await evals.read(runId, '/iterations?limit=100');
    const refused = (items as { status: string; error: string }[]).filter(
      ({ status: one }) => one !== 'completed',
    );
    expect(refused.map(({ status: one, error }) => `${one}: ${error}`)).toEqual(
      refused.map(() => expect.stringMatching(`^setup_failed: .*The server was ${change} after`)),
    );
    expect(refused.length).toBeGreaterThan(0);
    await expectConsistent(evals, runId);
  }
});

test('a suite with a run under way stays; a project that is deleted ends its runs and books what they cost', async () => {
  provider.script = slowly(30);
  const other = await Evals.of(service, 'Doomed');
  const runId = await launched(60, other, await other.server());
  await until(async () => (await other.read(runId)).progress.finished >= 2);
  provider.script = () => ({ silent: true });
  const { suiteId } = await other.read(runId);
  expect(await service.delete(`${other.project}/eval-suites/${suiteId}`)).toMatchObject({ status: 409 });
  const reader = other.follow(runId).catch(() => []);
  expect((await service.delete(other.project)).status).toBe(200);
  await until(async () => (await query('select from eval_runs where id = $1', runId)).length === 0);
  await reader;
  const booked = await query<{ amount: number }>(
    'select amount from ledger_entries where reason = $1',
    `eval-run ${runId}`,
  );
  expect(booked.reduce((sum, { amount }) => sum + amount, 0)).toBeGreaterThan(0);
  for (const below of ['', '/iterations', '/events', '/cancel'])
    expect((await service.get(`${evals.project}/eval-runs/${runId}${below}`)).status).toBeGreaterThanOrEqual(
      404,
    );
});

test('readers of events that hang up, are slow, or come with the id of an event of another run', async () => {
  provider.script = slowly(20);
  const long = await launched(20);
  await evals.follow(long);
  const runId = await launched(10);
  const path = `${service.running.baseUrl}${evals.project}/eval-runs/${runId}/events`;
  const headers = { authorization: `Bearer ${service.key}` };
  const hangUps = Array.from({ length: 20 }, async () => {
    const gone = new AbortController();
    await fetch(path, { headers, signal: gone.signal });
    gone.abort();
  });
  const foreign = await fetch(path, { headers: { ...headers, 'last-event-id': '99' } });
  expect([foreign.status, await foreign.text()]).toEqual([400, expect.stringContaining('Last-Event-ID')]);
  await Promise.all(hangUps);
  const slow = await fetch(path, { headers });
  await evals.follow(runId);
  expect((await slow.text()).match(/^id: /gm)).toHaveLength((await evals.follow(runId)).length);
  await expectConsistent(evals, runId);
});

test('somebody who may no longer see the project is shown no further events', async () => {
  const member = await service.member('member');
  const runId = await launched(1);
  await evals.follow(runId);
  provider.script = () => ({ silent: true });
  const open = await launched(1);
  const response = await fetch(`${service.running.baseUrl}${evals.project}/eval-runs/${open}/events`, {
    headers: { authorization: `Bearer ${member.key}` },
  });
  expect(response.status).toBe(200);
  await query('update api_keys set revoked_at = now() where id = $1', member.keyId);
  await query(`select pg_notify('drydock_eval_runs', $1)`, open);
  expect(await response.text()).not.toContain('run.decided');
  expect((await service.post(`${evals.project}/eval-runs/${open}/cancel`)).status).toBe(200);
});

test('readers who come again at any event, many at once, are told all that follows and nothing twice', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  provider.script = slowly(50);
  const runId = await launched(20);
  const whole = evals.follow(runId);
  const known = async (): Promise<number> =>
    (await query<{ events: number }>('select events from eval_runs where id = $1', runId))[0]?.events ?? 0;
  await until(async () => (await known()) >= 20);
  const places = Array.from({ length: 20 }, (_, place) => place);
  const rests = await Promise.all(
    places.map((place) => evals.follow(runId, { 'last-event-id': String(place) })),
  );
  const all = await whole;
  expect(all.at(-1)?.data.type).toBe('run.decided');
  for (const place of places) expect(rests[place]).toEqual(all.slice(place + 1));
  expect(warnings).toEqual([]);
});
