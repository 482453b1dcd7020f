import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setFeature } from '../src/domain/operator/organizations.ts';
import { watchWhile } from './support/bystander.ts';
import { executing } from './support/evals.ts';
import { askedOf, Journeys, playing } from './support/journeys.ts';
import { callThenAnswer, type Script, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { slowdown } from './support/slowdown.ts';
import { startChanging } from './targets/changing.ts';

let provider: ScriptedProvider;
let service: TestService;
let journeys: Journeys;
let server: string;
let database: pg.Client;

const providerKey = 'swarm-provider-key-0123456789';
executing(
  async (parts) => {
    ({ provider, service } = parts);
    journeys = await Journeys.of(service);
    server = await journeys.server();
  },
  { key: providerKey, env: { DRYDOCK_EVAL_LEASE: '5' } },
);
beforeEach(async () => {
  provider.requests.length = 0;
  provider.script = playing({
    persona: (turn) => (turn < 2 ? { message: `Q ${turn}` } : { endSession: true }),
  });
  database = await service.database.connect();
  return () => database.end();
});

const rubric = {
  criteria: [{ id: 'lists', predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' } }],
};

interface Tally {
  status: string;
  total: number;
  ended: number;
  open: number;
  held: number;
  rows: number;
}
/** What is stored of a run: what it counts, and what its sessions are. */
async function tallyOf(runId: string): Promise<Tally> {
  const { rows } = await database.query<Tally>(
    `select r.status, r.total, r.succeeded + r.failed + r.rate_limited as ended, count(*)::int as rows,
       count(*) filter (where s.status in ('pending', 'running'))::int as open,
       count(*) filter (where s.state in ('waiting', 'running') or s.due_at is not null)::int as held
     from journey_runs r join journey_sessions s on s.run_id = r.id where r.id = $1 group by r.id`,
    [runId],
  );
  return rows[0] as Tally;
}

function latch(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const settled = { open: 0, held: 0 };
/** Launches may come as often as a test likes. */
const unbraked = () => database.query(`delete from ledger_entries where budget = 'journeyLaunchesPerDay'`);
const warnings = (from = 0): string[] =>
  service.logs.slice(from).filter((line) => /"level":"(error|warn)"/.test(line));

describe('races', () => {
  test('a run that is cancelled at any moment, twice and by archiving too, ends once and adds up', async () => {
    provider.script = playing({
      persona: (turn) => (turn < 2 ? { message: `Q ${turn}` } : { endSession: true }),
      agent: callThenAnswer({ name: 'list_ships', input: {} }),
    });
    const hostIds = await Promise.all(Array.from({ length: 4 }, () => journeys.client([server])));
    const logged = service.logs.length;
    for (let round = 0; round < 15; round++) {
      await unbraked();
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
      expect(cancelled.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(cancelled.filter(({ body }) => !body.alreadyCanceled)).toHaveLength(1);
      const run = await journeys.over(runId);
      expect(run).toMatchObject({ status: 'failed', canceled: true });
      expect(await tallyOf(runId)).toMatchObject({ total: 12, ended: 12, rows: 12, ...settled });
    }
    expect(warnings(logged)).toEqual([]);
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
    // Holds the session that cancelling takes first, so that it has the run and waits.
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
    await expect
      .poll(turns, { timeout: 10_000 })
      .toBe(1)
      .finally(() => holder.query('rollback'));
    await holder.end();
    expect((await cancelled).status).toBe(200);
    await journeys.over(runId);
    expect(await tallyOf(runId)).toMatchObject({ total: 4, ended: 4, ...settled });
  });
});

const twoQuestions = (turn: number): object => (turn < 2 ? { message: `Q ${turn}` } : { endSession: true });

/** A run whose agent is asked and has not answered yet. */
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
    expect(await tallyOf(runId)).toMatchObject({ status: 'failed', total: 4, ended: 4, ...settled });
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
    expect(warnings(logged)).toEqual([]);
  });

  test('it is not stale while its sessions wait for their turn behind others', async () => {
    const { runId, go } = await underWay();
    const { runs } = { runs: await import('../src/platform/database/queries/journey-runs.ts') };
    const waiting = await journeys.launch(
      await journeys.journey({ hostIds: [await journeys.client([server])] }),
    );
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
    await service.post(`${journeys.project}/journey-runs/${waiting}/cancel`);
    await journeys.over(waiting);
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
    expect(cancels.map(({ status }) => status).sort()).toEqual([200, 409]);
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
