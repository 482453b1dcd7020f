// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchJourneysHandler } from '../src/domain/journey-runs/execute/watch.ts';
import { setFeature } from '../src/domain/operator/organizations.ts';
import * as runs from '../src/platform/database/queries/journey-runs.ts';
import { watchWhile } from './support/bystander.ts';
import { executing } from './support/evals.ts';
import { askedOf, Journeys, playing } from './support/journeys.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { slowdown } from './support/slowdown.ts';
import { forgetLaunches, latch, rubric, settled, tallyOf, twoQuestions, warnings } from './support/swarms.ts';

let provider: ScriptedProvider;
let service: TestService;
let journeys: Journeys;
let server: string;
let database: pg.Client;

executing(
  async (parts) => {
    ({ provider, service } = parts);
    journeys = await Journeys.of(service);
    server = await journeys.server();
  },
  { env: { DRYDOCK_EVAL_LEASE: '5' } },
);
beforeEach(async () => {
  provider.requests.length = 0;
  provider.script = playing({
    persona: (turn) => (turn < 2 ? { message: `Q ${turn}` } : { endSession: true }),
  });
  database = await service.database.connect();
  return () => database.end();
});

describe('races', () => {
  test('a run that is cancelled at any moment, twice and by archiving too, ends once and adds up', {
    tags: ['long'],
  }, async () => {
    provider.script = playing({
      persona: (turn) => (turn < 2 ? { message: `Q ${turn}` } : { endSession: true }),
      agent: callThenAnswer({ name: 'list_ships', input: {} }),
    });
    const hostIds = await Promise.all(Array.from({ length: 4 }, () => journeys.client([server])));
    const logged = service.logs.length;
    for (let round = 0; round < 15; round++) {
      await forgetLaunches(database);
      const journeyId = await journeys.journey({ hostIds, sessionsPerTarget: 3, maxTurns: 3, rubric });
      const runId = await journeys.launch(journeyId, { waveId: `race-${round % 4}` });
      await delay(Math.random() * 500);
      const path = `${journeys.project}/journey-runs/${runId}`;
      const cancelled = await Promise.all([
        service.post(`${path}/cancel`),
        service.delete(path),
        service.post(`${path}/cancel`),
      ]);
      await service.delete(`${journeys.project}/journeys/${journeyId}`);
      // The run may have ended already, and then cannot be cancelled.
      const late = cancelled.every(({ status }) => status === 409);
      expect(cancelled.map(({ status }) => status)).toEqual(
        Array.from({ length: 3 }, () => (late ? 409 : 200)),
      );
      expect(cancelled.filter(({ body }) => !late && !body.alreadyCanceled)).toHaveLength(late ? 0 : 1);
      expect(await journeys.over(runId)).toMatchObject({ canceled: !late });
      expect(await tallyOf(database, runId)).toMatchObject({ total: 12, ended: 12, rows: 12, ...settled });
    }
    expect(warnings(service, logged)).toEqual([]);
  });

  test('grading, a turn and cancelling do not wait for each other in a circle', async () => {
    const [judging, answering] = [latch(), latch()];
    let answers = 0;
    provider.script = (request) => {
      const reply = playing({ persona: (turn) => (turn < 1 ? { message: 'Q' } : { endSession: true }) })(
        request,
      );
      const asked = askedOf(request);
      if (asked === 'judge') return { ...reply, after: judging.opened };
      return asked === 'agent' && ++answers > 1 ? { ...reply, after: answering.opened } : reply;
    };
    const hostIds = [await journeys.client([server]), await journeys.client([server])];
    const runId = await journeys.launch(await journeys.journey({ hostIds, sessionsPerTarget: 2 }));
    await expect.poll(() => answers).toBe(3);
    await expect
      .poll(() => provider.requests.filter((one) => askedOf(one as never) === 'judge').length)
      .toBe(1);
    const { rows } = await database.query(
      `select id from journey_sessions where run_id = $1 and status = 'running' order by id`,
      [runId],
    );
    const [first, last] = rows.map(({ id }) => id as string);
    // Locks the session that cancelling locks first, so that cancelling has locked the run and waits.
    const holder = await service.database.connect();
    await holder.query(`begin; select from journey_sessions where id = '${first}' for update`);
    const cancelled = service.post(`${journeys.project}/journey-runs/${runId}/cancel`);
    const waiting = async (words: string): Promise<number> => {
      const found = await database.query(
        `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query ilike $1`,
        [`%${words}%`],
      );
      return found.rows[0].count as number;
    };
    await expect.poll(() => waiting('journey_sessions')).toBe(1);
    judging.open();
    await expect.poll(() => waiting('journey_runs')).toBe(1);
    answering.open();
    const turns = async (): Promise<number> => {
      const found = await database.query('select turns from journey_sessions where id = $1', [last]);
      return found.rows[0].turns as number;
    };
    try {
      await expect.poll(turns, { timeout: 10_000 }).toBe(1);
    } finally {
      await holder.query('rollback');
    }
    await holder.end();
    expect((await cancelled).status).toBe(200);
    await journeys.over(runId);
    expect(await tallyOf(database, runId)).toMatchObject({ total: 4, ended: 4, ...settled });
  });
});

/** A run whose agent was called and has not answered yet. */
async function underWay(
  fields: object = {},
): Promise<{ runId: string; journeyId: string; go: () => void; clients: string[] }> {
  const { opened, open } = latch();
  onTestFinished(open);
  const asked = latch();
  provider.script = playing({
    persona: twoQuestions,
    agent: () => {
      asked.open();
      return { text: 'Three ships.', after: opened };
    },
  });
  const hostIds = [await journeys.client([server]), await journeys.client([server])];
  const journeyId = await journeys.journey({ hostIds, sessionsPerTarget: 2, rubric, ...fields });
  const runId = await journeys.launch(journeyId);
  await asked.opened;
  return { runId, journeyId, go: open, clients: hostIds };
}

describe('while a run is under way', () => {
  test('what it was launched with may go: it ends by its snapshot', async () => {
    const personaId = await journeys.persona();
    const { runId, journeyId, go, clients } = await underWay({ personaId });
    expect((await service.delete(`${journeys.project}/journeys/${journeyId}`)).status).toBe(200);
    expect((await service.delete(`${journeys.project}/personas/${personaId}`)).status).toBe(200);
    for (const id of clients)
      expect((await service.delete(`${journeys.project}/clients/${id}`)).status).toBeLessThan(300);
    go();
    expect(await journeys.over(runId)).toMatchObject({
      status: 'completed',
      summary: { total: 4, succeeded: 4, failed: 0, rateLimited: 0 },
    });
    expect((await service.get(`${journeys.project}/journeys/${journeyId}/runs`)).body.items).toHaveLength(1);
  });

  test('a server that is edited fails the sessions that come after, and says so', async () => {
    const edited = await journeys.server();
    const { runId, go } = await underWay({ hostIds: [await journeys.client([edited])] });
    expect((await service.patch(`${journeys.project}/servers/${edited}`, { name: 'Another' })).status).toBe(
      200,
    );
    go();
    expect(await journeys.over(runId)).toMatchObject({
      status: 'partial',
      summary: { total: 2, succeeded: 1, failed: 1, rateLimited: 0 },
      attempts: [
        { status: 'succeeded' },
        { errorCode: 'session_failed', errorMessage: expect.stringMatching(/edited after/) },
      ],
    });
  });

  test('the feature may be switched off: reads say nothing, cancelling works, and the run ends', async () => {
    const switched = (enabled: boolean) =>
      setFeature(service.db, { organization: undefined, feature: 'swarms', enabled });
    const { runId, go } = await underWay();
    const path = `${journeys.project}/journey-runs/${runId}`;
    await switched(false);
    onTestFinished(() => switched(true));
    expect((await service.get(path)).status).toBe(404);
    expect((await service.get(`${path}/sessions`)).body).toEqual({ items: [] });
    expect((await service.post(`${path}/cancel`)).body).toMatchObject({ canceled: true, finalized: 4 });
    go();
    await switched(true);
    await journeys.over(runId);
    expect(await tallyOf(database, runId)).toMatchObject({
      status: 'failed',
      total: 4,
      ended: 4,
      ...settled,
    });
  });

  test('its project may be deleted: nothing of it is left, and nothing is warned of', async () => {
    const own = await Journeys.of(service);
    const { opened, open } = latch();
    onTestFinished(open);
    const asked = latch();
    provider.script = playing({
      persona: twoQuestions,
      agent: () => (asked.open(), { text: 'x', after: opened }),
    });
    const hostIds = [await own.client([await own.server()])];
    const runs = [
      await own.launch(await own.journey({ hostIds })),
      await own.launch(await own.journey({ hostIds })),
    ];
    await asked.opened;
    const logged = service.logs.length;
    expect((await service.delete(own.project)).status).toBeLessThan(300);
    open();
    await expect
      .poll(async () => {
        const { rows } = await database.query(
          `select (select count(*) from journey_runs where id = any($1)) + (select count(*) from chat_sessions
             where project_id = $2) + (select count(*) from journey_sessions where run_id = any($1)) as left`,
          [runs, own.projectId],
        );
        return Number(rows[0].left);
      })
      .toBe(0);
    expect(warnings(service, logged)).toEqual([]);
  });

  test('it is not stale while its sessions wait for their turn behind others', async () => {
    const { runId, go } = await underWay();
    const hostIds = [await journeys.client([server])];
    const waiting = await journeys.launch(await journeys.journey({ hostIds, rubric }));
    await database.query(
      `update journey_runs set created_at = created_at - interval '1 hour' where id = $1`,
      [waiting],
    );
    await database.query(
      `update journey_sessions set state = 'waiting', lease_token = null, touched_at = null, due_at = now() + interval '1 h'
       where run_id = $1`,
      [waiting],
    );
    const silent = async (): Promise<string[]> =>
      (await service.db.rows(runs.silent, { seconds: 900 })).map(({ id }) => id);
    expect(await silent()).not.toContain(waiting);
    await service.post(`${journeys.project}/journey-runs/${runId}/cancel`);
    go();
    await expect.poll(silent).toContain(waiting);
    await watchJourneysHandler(service.running.services).handle({}, new AbortController().signal);
    expect(await journeys.over(waiting)).toMatchObject({
      status: 'failed',
      stale: true,
      attempts: [{ status: 'failed', errorCode: 'stale_runner' }],
      report: { goalGrading: { pending: 0 } },
    });
    expect((await journeys.read(waiting, '/scorecard')).criteria).toMatchObject([{ pendingCount: 0 }]);
  });

  test('its sessions are graded in the turn of its organization', async () => {
    const { runId, go } = await underWay({ judge: { enabled: false } });
    go();
    await journeys.over(runId);
    const { rows } = await database.query(
      `select distinct organization_id as id from jobs where payload->>'sessionId' like $1 or payload->>'runId' = $2`,
      [`synth_${runId}%`, runId],
    );
    expect(rows).toEqual([{ id: (await service.get('/organizations')).body.items[0].id }]);
  });
});

describe('insights of a wave', () => {
  test('asked for at once are asked for once; cancelled or forced, only the last answer counts', async () => {
    const { opened, open } = latch();
    onTestFinished(open);
    const hostIds = [await journeys.client([server])];
    const runId = await journeys.launch(await journeys.journey({ hostIds, rubric }), { waveId: 'asked' });
    await journeys.over(runId);
    provider.script = () => ({ text: '{}', after: opened });
    const path = `${journeys.project}/waves/asked/insights`;
    const spent = async (): Promise<number> =>
      Number(
        (await database.query(`select count(*) from ledger_entries where budget = 'insightsPerDay'`)).rows[0]
          .count,
      );
    const before = await spent();
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post(path, {})));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(await spent()).toBe(before + 1);
    const cancels = await Promise.all([service.delete(path), service.delete(path)]);
    expect(new Set(cancels.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await service.get(path)).status).toBe(404);
    const again = await Promise.all([
      service.post(path, { force: true }),
      service.post(path, { force: true }),
    ]);
    expect(again.map(({ status }) => status)).toEqual([202, 202]);
    open();
    await expect.poll(async () => (await service.get(path)).body.status).toBe('completed');
    const { rows } = await database.query(`select request from wave_insights where wave_id = 'asked'`);
    expect(rows).toEqual([{ request: 3 }]);
    expect((await journeys.read(runId)).insights.status).toBe('completed');
  });
});

test('two runs of one wave that end at once are one occurrence of what they show', async () => {
  await forgetLaunches(database);
  const criteria = [{ id: 'twice', predicate: { type: 'toolCalledAtLeastOnce', toolName: 'nobody_calls' } }];
  const journeyId = await journeys.journey({
    hostIds: [await journeys.client([server])],
    rubric: { criteria },
  });
  for (const waveId of ['one', 'two']) {
    const runs = await Promise.all(Array.from({ length: 4 }, () => journeys.launch(journeyId, { waveId })));
    await Promise.all(runs.map((id) => journeys.over(id)));
    await expect
      .poll(
        async () =>
          (
            await database.query(
              'select count(*)::int as count from journey_runs where id = any($1) and tally is null',
              [runs],
            )
          ).rows[0].count,
      )
      .toBe(0);
  }
  const { items } = await journeys.ok(service.get(`${journeys.project}/journey-findings?limit=200`));
  const found = items.filter(
    (one: { fingerprint: string }) =>
      one.fingerprint.startsWith('criterion_failed') && one.fingerprint.includes('twice'),
  );
  expect(found).toMatchObject([{ status: 'recurring', occurrenceCount: 2, lastSeenWaveId: 'two' }]);
  expect(found[0].waves).toMatchObject([
    { waveId: 'one', affected: 4, total: 4 },
    { waveId: 'two', affected: 4, total: 4 },
  ]);
});

test('many who watch a run of 2,000 sessions do not keep others waiting', { tags: ['long'] }, async () => {
  await forgetLaunches(database);
  const { runId, go } = await underWay();
  await database.query(
    `insert into journey_sessions (id, organization_id, project_id, run_id, position, target, session_index, state, status, turns, criteria, judge, facts)
     select s.id || n, organization_id, project_id, run_id, 10 + n, target, 10 + n, 'done', 'succeeded', 3, $2, '{"status":"scored","score":1,"passed":true}', '{"tools":[],"unknownTools":[],"outputTruncated":false}'
     from journey_sessions s, generate_series(1, 2000) n where run_id = $1 and position = 0`,
    [
      runId,
      JSON.stringify({
        status: 'completed',
        results: [{ criterionId: 'lists', passed: true, status: 'scored', reason: 'r'.repeat(400) }],
      }),
    ],
  );
  await database.query(
    `update journey_runs set total = total + 2000, succeeded = succeeded + 2000 where id = $1`,
    [runId],
  );
  const watching = Promise.all(Array.from({ length: 8 }, () => journeys.follow(runId)));
  const before = slowdown();
  const announcing = (async () => {
    for (let n = 0; n < 60; n++) {
      await database.query(`select pg_notify('drydock_journey_runs', $1)`, [runId]);
      await delay(50);
    }
  })();
  const { p95 } = await watchWhile(`${service.running.baseUrl}/me`, service.key, announcing);
  expect(p95 / Math.max(before, slowdown())).toBeLessThan(250);
  go();
  for (const events of await watching) {
    expect(events.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
    const last = new Map(
      events.map(({ attempt }) => [attempt?.chatSessionId ?? attempt?.sessionIndex, attempt?.status]),
    );
    expect(events.filter(({ type }) => type === 'session.state').length).toBeLessThan(2_100);
    expect([...last.values()]).not.toContain('running');
  }
});
