// @module-tag long
import type pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { jobKinds } from '../src/domain/base/job-kinds.ts';
import { enqueue } from '../src/platform/jobs/queue.ts';
import { executing } from './support/evals.ts';
import { Journeys, playing } from './support/journeys.ts';
import { callThenAnswer, type Script, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { ok, Studies, Visitor } from './support/studies.ts';

let provider: ScriptedProvider;
let service: TestService;
let studies: Studies;
let server: string;
let database: pg.Client;

executing(async (parts) => {
  ({ provider, service } = parts);
  studies = await Studies.of(service);
  server = await studies.evals.server();
  database = await service.database.connect();
});
afterAll(() => database?.end());
beforeEach(() => {
  provider.script = fails;
});

const week = 7 * 86_400_000;
/** Calls a failing tool for every message, not only for the first. */
const fails: Script = ({ body }) =>
  body.messages.at(-1).role === 'tool'
    ? { text: 'That did not work.' }
    : { toolCalls: [{ name: 'launch_ship', input: {} }] };
const works = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
/** A failing model provider. */
const broken: Script = () => ({ status: 400, text: 'no' });
const asked = 'Please launch the ship that is in the dock';

async function fresh() {
  const environmentId = await studies.environment([server]);
  return { environmentId, ...(await studies.publish(environmentId)) } as {
    environmentId: string;
    id: string;
    link: string;
  };
}

async function guestOf(link: string): Promise<Visitor> {
  const guest = new Visitor(service);
  ok(await guest.enter(link));
  return guest;
}

/** Sends the messages as a visitor in one session, and returns its ID. */
async function chat(link: string, messages: string[], rating?: 1 | -1): Promise<string> {
  const guest = await guestOf(link);
  let sessionId: string | undefined;
  for (const message of messages) {
    const { events } = await guest.say(message, sessionId);
    sessionId ??= events[0]?.sessionId as string;
  }
  if (rating) ok(await guest.request('PUT', `/visit/sessions/${sessionId}/feedback`, { rating }));
  return sessionId as string;
}

/** Moves everything in these sessions back in time. */
async function moveBack(sessionIds: string[], by: number): Promise<void> {
  const back = `- ${by} * interval '1 ms'`;
  await database.query(
    `update study_sessions set started_at = started_at ${back}, last_activity_at = last_activity_at ${back},
       rated_at = rated_at ${back} where session_id = any($1)`,
    [sessionIds],
  );
  await database.query(`update study_turns set at = at ${back} where session_id = any($1)`, [sessionIds]);
}

/** Analyzes the week of a time now, and waits for the job. */
async function analyse(studyId: string, at = Date.now()): Promise<void> {
  const id = await enqueue(service.db, jobKinds.analyseStudy, { studyId, at });
  const states = async () =>
    (await database.query<{ state: string }>('select state from jobs where id = $1', [id])).rows;
  await expect.poll(states, { timeout: 5_000 }).toEqual([{ state: 'done' }]);
}

/** Moves sessions back and analyzes their new week, and the current one, which may have included them. */
async function happened(studyId: string, sessionIds: string[], by: number): Promise<void> {
  await moveBack(sessionIds, by);
  await analyse(studyId, Date.now() - by);
  await analyse(studyId);
}

const path = (studyId: string, below: string) => `${studies.project}/studies/${studyId}${below}`;

interface Finding {
  id: string;
  fingerprint: string;
  status: string;
  occurrenceCount: number;
  dismissedAt: number | null;
  windows: { fired: boolean; affected: number; total: number }[];
}

async function finding(studyId: string, fingerprint: string): Promise<Finding | undefined> {
  const { items } = await studies.read(studyId, '/findings');
  return items.find((one: Finding) => one.fingerprint === fingerprint);
}

async function candidates(studyId: string): Promise<string[]> {
  const { candidates: all } = await studies.read(studyId, '/signals');
  return all
    .map((one: { fingerprint: string; affectedSessions: number; sliceTotal: number }) =>
      [one.fingerprint, one.affectedSessions, one.sliceTotal].join(' '),
    )
    .sort();
}

describe('what visitors meet', () => {
  test('is counted some seconds later, by itself', async () => {
    const { id, link } = await fresh();
    for (const below of ['/signals', '/metrics', '/metrics?population=synthetic', '/usage'])
      expect([below, (await service.get(path(id, below))).status]).toEqual([below, 404]);
    expect(await studies.read(id, '/findings')).toEqual({ items: [] });
    expect(await service.post(path(id, '/insights'))).toMatchObject({
      status: 409,
      body: { details: { reason: 'WINDOW_NOT_ANALYSED' } },
    });
    expect((await studies.read(id)).insights).toMatchObject({
      scope: { kind: 'user_testing_window', id, scenarioId: id },
      status: 'not_available',
      reasonCode: 'window_not_analysed',
      coverage: { analyzed: 0, total: 0, feedbackCount: 0 },
    });

    const first = await chat(link, [asked, asked]);
    const second = await chat(link, [asked, `${asked}!`], -1);
    const tool = `tool_errored:tool:${server}/launch_ship`;
    await expect
      .poll(() => candidates(id).catch(() => []), { timeout: 15_000 })
      .toEqual([`ask_repeated:study:${id} 2 2`, `thumbs_down:study:${id} 1 1`, `${tool} 2 2`]);
    await expect
      .poll(() => studies.read(id, '/signals'), { timeout: 15_000 })
      .toMatchObject({
        sessionCount: 2,
        feedbackCount: 1,
        truncated: false,
        lowConfidence: true,
        latestGroupId: null,
        dataStale: false,
        canRequest: true,
      });
    const signals = await studies.read(id, '/signals');
    expect(signals.windowEndAt - signals.windowStartAt).toBe(week);
    const erred = signals.candidates.find((one: { fingerprint: string }) => one.fingerprint === tool);
    expect(erred).toMatchObject({
      title: 'a tool returns errors (tool "launch_ship")',
      subject: { kind: 'tool', label: 'launch_ship' },
      evidenceSessionIds: expect.arrayContaining([first, second]),
    });
    expect(await finding(id, tool)).toMatchObject({ status: 'new', windows: [{ fired: true, affected: 2 }] });

    // A week later the sessions have ended and were slow. The week in which they were first seen is empty.
    const both = [first, second];
    await database.query('update study_turns set duration_ms = 15001 where session_id = any($1)', [both]);
    await happened(id, both, week);
    for (const detector of ['session_abandoned', 'turn_slow', 'ask_repeated'])
      expect(await finding(id, `${detector}:study:${id}`)).toMatchObject({
        status: 'new',
        windows: [{ fired: true, affected: 2, total: 2 }],
      });
    expect((await finding(id, tool))?.windows).toHaveLength(1);
    expect(await studies.read(id, '/signals')).toMatchObject({ sessionCount: 0, candidates: [] });
  });

  test('makes no finding of one unlucky session, but of one message without a reply', async () => {
    const { id, link } = await fresh();
    const unlucky = await chat(link, [asked]);
    provider.script = works;
    const happy = await chat(link, ['Which ships are here?', 'And who is the harbour master?'], 1);
    await analyse(id);
    expect(await candidates(id)).toEqual([]);
    expect((await studies.read(id, '/signals')).feedbackCount).toBe(1);
    provider.script = broken;
    const unanswered = await chat(link, ['Is anybody there?']);
    await analyse(id);
    expect(await candidates(id)).toEqual([]);
    await happened(id, [unlucky, happy, unanswered], week);
    expect(await finding(id, `session_abandoned:study:${id}`)).toMatchObject({
      windows: [{ fired: true, affected: 2, total: 3 }],
    });
    expect((await studies.read(id, '/findings')).items).toHaveLength(1);
  });

  test('comes, goes and comes back with the weeks; a dismissal stays what it is', async () => {
    const { id, link } = await fresh();
    const inspects = (ship: string) => callThenAnswer({ name: 'inspect_hull', input: { ship } });
    const tool = `tool_errored:tool:${server}/inspect_hull`;
    const told: string[] = [];
    for (const [nth, failing] of [2, 2, 1, 2].entries()) {
      const back = (4 - nth) * week;
      const sessions: string[] = [];
      for (const at of [0, 1]) {
        provider.script = inspects(at < failing ? 'Flying Dutchman' : 'Albatross');
        sessions.push(await chat(link, ['How is the hull?']));
      }
      await happened(id, sessions, back);
      const seen = await finding(id, tool);
      told.push(`${seen?.status} ${seen?.occurrenceCount}`);
      const dismiss = path(id, `/findings/${seen?.id}/dismiss`);
      expect((await service.post(dismiss)).body).toEqual({
        id: seen?.id,
        studyId: id,
        projectId: studies.projectId,
        dismissed: true,
      });
    }
    expect(told).toEqual(['new 1', 'recurring 2', 'resolved 2', 'regressed 3']);
    const before = await finding(id, tool);
    expect(before?.dismissedAt).toEqual(expect.any(Number));
    expect(before?.windows.map(({ fired, affected, total }) => [fired, affected, total])).toEqual([
      [true, 2, 2],
      [true, 2, 2],
      [false, 1, 2],
      [true, 2, 2],
    ]);
    await analyse(id, Date.now() - 3 * week);
    expect(await finding(id, tool)).toEqual(before);
    const undismiss = `/findings/${before?.id}/undismiss`;
    expect((await service.post(path(id, undismiss))).body.dismissed).toBe(false);
    const old = await service.post(`${studies.project}/user-testing/scenarios/${id}${undismiss}`);
    expect(old.body).toMatchObject({ scenarioId: id, dismissed: false });
    expect((await finding(id, tool))?.dismissedAt).toBeNull();
    const other = await fresh();
    expect((await service.post(path(other.id, `/findings/${before?.id}/dismiss`))).status).toBe(404);
  });
});

test('a dismissal outlives that somebody takes back what was said', async () => {
  const { id, link } = await fresh();
  const guest = await guestOf(link);
  const { last } = await guest.say(asked);
  const told: string[] = [];
  for (const rating of [-1, 1, -1]) {
    ok(await guest.request('PUT', `/visit/sessions/${last.sessionId}/feedback`, { rating }));
    await analyse(id);
    const [one] = (await studies.read(id, '/findings')).items as Finding[];
    told.push(`${one?.status} ${one?.occurrenceCount} ${one?.dismissedAt !== null}`);
    ok(await service.post(path(id, `/findings/${one?.id}/dismiss`)));
  }
  expect(told).toEqual(['new 1 false', 'resolved 0 true', 'new 1 true']);
});

describe('insights into seven days', () => {
  /** Explains failed calls, and answers visitors like `rest`. */
  const explains =
    (rest: Script): Script =>
    (request) => {
      const words = JSON.stringify(request.body.messages);
      if (words.includes('<SESSIONS')) return { text: '{"findings": []}' };
      if (!words.includes('<CANDIDATES')) return rest(request);
      const [fingerprint] = /tool_errored:[^"\\]+/.exec(words) ?? [];
      const about = { fingerprint, rootCause: 'No permission.', recommendation: 'Ask.', confidence: 'high' };
      return { text: JSON.stringify({ summary: 'Nothing is launched.', candidates: [about] }) };
    };

  async function withFindings() {
    const study = await fresh();
    for (const rating of [1, undefined] as const) await chat(study.link, [asked], rating);
    await analyse(study.id);
    const { windowId } = await studies.read(study.id, '/signals');
    return { ...study, windowId, insights: path(study.id, `/windows/${windowId}/insights`) };
  }

  const spentToday = async (): Promise<number> =>
    (await database.query(`select coalesce(sum(amount), 0)::int as spent from ledger_entries`)).rows[0].spent;

  test('are asked for, read, asked for again, and stand in the study', async () => {
    provider.script = explains(fails);
    const { id, windowId, insights } = await withFindings();
    expect((await service.get(insights)).status).toBe(404);
    expect((await studies.read(id)).insights).toMatchObject({ status: 'not_requested', findings: [] });
    expect(await service.post(path(id, '/insights'))).toMatchObject({
      status: 202,
      body: { studyId: id, projectId: studies.projectId, windowId, status: 'pending' },
    });
    const status = async () => (await service.get(insights)).body.status;
    await expect.poll(status).toBe('completed');
    const read = (await service.get(insights)).body;
    expect(read).toMatchObject({
      windowId,
      insights: {
        summary: 'Nothing is launched.',
        sessionCount: 2,
        feedbackCount: 1,
        modelUsed: 'scripted/model',
        candidates: [{ detector: 'tool_errored', findingStatus: 'new', rootCause: 'No permission.' }],
      },
      discovery: { findings: [] },
    });
    expect(read.windowEndAt - read.windowStartAt).toBe(week);
    const envelope = (await studies.read(id)).insights;
    expect(envelope).toMatchObject({
      schemaVersion: 1,
      scope: {
        kind: 'user_testing_window',
        id: windowId,
        scenarioId: id,
        windowStartAt: read.windowStartAt,
        windowEndAt: read.windowEndAt,
      },
      status: 'completed',
      summary: 'Nothing is launched.',
      coverage: { unit: 'sessions', analyzed: 2, total: 2, feedbackCount: 1, lowConfidence: true },
      findings: [
        { signalFingerprint: expect.any(String), rootCause: 'No permission.', category: 'tool_runtime' },
      ],
    });
    expect(await studies.read(id, '/signals')).toMatchObject({ latestGroupId: windowId, canRequest: false });
    expect(await service.post(path(id, '/insights'))).toMatchObject({
      status: 409,
      body: { details: { reason: 'INSIGHTS_COMPLETED' } },
    });

    // If the model fails, the counted results remain.
    provider.script = broken;
    const spent = await spentToday();
    expect((await service.post(path(id, '/insights'), { force: true })).status).toBe(202);
    expect(await spentToday()).toBe(spent + 1);
    await expect.poll(status).toBe('completed');
    expect((await service.get(insights)).body.insights).toMatchObject({
      summary: expect.stringMatching(/^2 sessions, 1 with a rating\. 1 problem was found/),
      modelUsed: null,
      candidates: [],
      unnarratedCandidates: [{ detector: 'tool_errored' }],
    });
  });

  test('that are no longer wanted are not written, and calling them off twice says the same', async () => {
    const { id, windowId, insights } = await withFindings();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    provider.script = (request) => ({ ...explains(fails)(request), pace: () => held, after: held });
    const cancel = (window: string) => service.delete(path(id, '/insights'), { body: { windowId: window } });
    expect((await cancel(windowId)).status).toBe(404);
    expect((await cancel('win_19700105')).status).toBe(404);
    ok(await service.post(path(id, '/insights')));
    expect(await studies.read(id, '/signals')).toMatchObject({ canRequest: false });
    expect((await service.post(path(id, '/insights'))).body.details.reason).toBe('INSIGHTS_PENDING');
    const canceled = { studyId: id, projectId: studies.projectId, windowId, canceled: true };
    expect((await cancel(windowId)).body).toEqual(canceled);
    release();
    expect((await cancel(windowId)).body).toEqual(canceled);
    expect((await service.get(insights)).status).toBe(404);
    expect((await studies.read(id)).insights.status).toBe('not_requested');
    ok(await service.post(path(id, '/insights')));
    await expect.poll(async () => (await service.get(insights)).body.status).toBe('completed');
    expect((await cancel(windowId)).body).toEqual(canceled);
    expect((await service.get(insights)).body.status).toBe('completed');
  });
});

test('figures: of people who came by the link, and of journeys in the same environment', async () => {
  const { id, link, environmentId } = await fresh();
  await chat(link, [asked], -1);
  provider.script = works;
  await chat(link, ['Which ships are here?', 'Thank you very much'], 1);
  provider.script = broken;
  await chat(link, ['Is anybody there?']);
  const metrics = await studies.read(id, '/metrics');
  const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
  expect(metrics).toMatchObject({
    population: 'real',
    sessions: 3,
    visitors: 3,
    turns: 4,
    toolCalls: 2,
    failedToolCalls: 1,
    toolFailureRate: 0.5,
    unansweredTurns: 1,
    thumbsUp: 1,
    thumbsDown: 1,
    days: [{ dayStartMs: today, sessions: 3, turns: 4, thumbsUp: 1, thumbsDown: 1 }],
    scan: { sessions: 3, truncated: false },
  });
  expect(metrics.turnMs.p95).toBeGreaterThanOrEqual(metrics.turnMs.median);
  const usage = await studies.read(id, '/usage');
  expect(usage).toMatchObject({
    sessions: 3,
    tools: [
      { name: 'launch_ship', calls: 1, failed: 1 },
      { name: 'list_ships', calls: 1, failed: 0 },
    ],
    models: [{ name: 'scripted/model', count: 3 }],
    segments: [{ name: 'guest', count: 3 }],
    devices: [{ count: 3 }],
    languages: [{ count: 3 }],
    scan: { sessions: 3, truncated: false },
  });
  expect(usage.credits).toBeGreaterThan(0);
  expect(usage.guestCreditsToday).toBeCloseTo(usage.credits);

  const synthetic = path(id, '/metrics?population=synthetic');
  expect((await service.get(synthetic)).status).toBe(404);
  expect((await service.get(path(id, '/metrics?population=all'))).status).toBe(400);
  provider.script = playing({
    persona: (turn) => (turn < 2 ? { message: 'Which ships?' } : { endSession: true }),
    agent: works,
  });
  const journeys = Journeys.besides(studies.evals);
  const elsewhere = await studies.environment([server]);
  const environmentIds = [elsewhere, environmentId];
  const journeyId = await journeys.journey({ environmentIds, sessionsPerTarget: 2, maxTurns: 3 });
  await journeys.over(await journeys.launch(journeyId));
  expect((await service.get(synthetic)).body).toMatchObject({
    population: 'synthetic',
    sessions: 2,
    visitors: null,
    turns: 4,
    toolCalls: 2,
    failedToolCalls: 0,
    toolFailureRate: 0,
    unansweredTurns: 0,
    thumbsUp: 0,
    days: [{ sessions: 2, turns: 4 }],
  });
});
