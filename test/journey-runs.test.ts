// @module-tag long
import { beforeEach, describe, expect, test } from 'vitest';
import { executing, scriptedModel } from './support/evals.ts';
import { askedOf, Journeys, playing } from './support/journeys.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let journeys: Journeys;
let server: string;

executing(
  async (parts) => {
    ({ provider, service } = parts);
    journeys = await Journeys.of(service);
    server = await journeys.server();
  },
  { key: 'journey-provider-key-0123456789', env: { DRYDOCK_EVAL_LEASE: '5' } },
);
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = playing({
    persona: (turn) => (turn < 2 ? { message: `Question ${turn}` } : { endSession: true }),
  });
});

const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
const rubric = {
  criteria: [
    {
      id: 'lists',
      label: 'Lists the ships',
      predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' },
    },
    { id: 'short', predicate: { type: 'turnCountUnder', turns: 2, role: 'advisory' } },
  ],
};

describe('a run', () => {
  test('has the persona speak and the agent answer, and can be read in every way', async () => {
    provider.script = playing({
      persona: (turn) => (turn < 2 ? { message: `Question ${turn}` } : { endSession: true, reason: 'done' }),
      agent: lists,
      judge: () => ({ score: 0.9 }),
    });
    const hostIds = [await journeys.client([server]), await journeys.client([server])];
    const journeyId = await journeys.journey({ hostIds, sessionsPerTarget: 2, maxTurns: 5, rubric });
    const runId = await journeys.launch(journeyId, { waveId: 'wave-1' }, 'first');
    const events = await journeys.follow(runId);
    const run = await journeys.read(runId);
    expect(run).toMatchObject({
      id: runId,
      journeyId,
      waveId: 'wave-1',
      status: 'completed',
      canceled: false,
      stale: false,
      summary: { total: 4, succeeded: 4, failed: 0, rateLimited: 0 },
      targetSummaries: [
        { total: 2, succeeded: 2 },
        { total: 2, succeeded: 2 },
      ],
      verdictSummary: { status: 'decided', decision: { verdict: 'passed' } },
      report: { verdict: 'passed', execution: { configured: 4, completed: 4 }, goalGrading: { passed: 4 } },
      insights: { status: 'not_requested' },
    });
    expect(
      run.attempts.map((attempt: { status: string; turns: number }) => [attempt.status, attempt.turns]),
    ).toEqual(Array.from({ length: 4 }, () => ['succeeded', 2]));
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
    const { items } = await journeys.read(runId, '/sessions');
    expect(items).toHaveLength(4);
    expect(items[0]).toMatchObject({
      id: `synth_${runId}_${hostIds[0]}_0`,
      outcome: 'succeeded',
      status: 'active',
      verdict: { verdict: 'passed', reason: 'allGradersPassed', verdictSource: 'combined' },
      goalScore: { status: 'scored', score: 0.9, passed: true },
      criteria: {
        status: 'completed',
        results: [
          { criterionId: 'lists', passed: true },
          { criterionId: 'short', passed: false },
        ],
      },
      messageCount: 6,
      preview: 'Question 0',
      modelId: scriptedModel,
    });
    const chat = (await service.get(`/chat-sessions/${items[0].id}`)).body;
    expect(chat.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    const trace = (await service.get(`/chat-sessions/${items[0].id}/trace?includeSpans=true&limit=20`)).body;
    expect(trace.turns).toHaveLength(2);
    expect(await journeys.read(runId, '/scorecard')).toMatchObject({
      sessionsTotal: 4,
      sessionsGraded: 4,
      criteria: [
        { id: 'lists', passCount: 4, failCount: 0 },
        { id: 'short', passCount: 0, failCount: 4 },
      ],
    });
  });

  test.each([
    ['length', /output limit/],
    ['content-filter', /content filter/],
    ['unheard-of', /unknown reason/],
  ] as const)(
    'whose agent ends by %s has not run to its end, whatever its graders say',
    async (finish, said) => {
      provider.script = playing({
        persona: (turn) => (turn < 1 ? { message: 'Which ships?' } : { endSession: true }),
        agent: (request) => ({ ...lists(request), ...(request.results > 0 && { finish }) }),
        judge: () => ({ score: 1 }),
      });
      const hostIds = [await journeys.client([server])];
      const runId = await journeys.launch(await journeys.journey({ hostIds, rubric }));
      const run = await journeys.over(runId);
      expect(run.verdictSummary).toMatchObject({ decision: { verdict: 'inconclusive' } });
      expect(run.attempts).toMatchObject([
        { status: 'failed', errorCode: 'session_failed', errorMessage: expect.stringMatching(said) },
      ]);
      const { items } = await journeys.read(runId, '/sessions');
      expect(items[0]).toMatchObject({
        outcome: 'failed',
        // The transcript until then is kept.
        messageCount: 4,
        verdict: { verdict: 'inconclusive', reason: 'executionFailed' },
      });
    },
  );
});

describe('launching', () => {
  test('a hundred at once with one key make one run', async () => {
    const hostIds = [await journeys.client([server])];
    const journeyId = await journeys.journey({ hostIds });
    const spent = await launches();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => journeys.launchAnswer(journeyId, {}, 'one of a hundred')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.deduped)).toHaveLength(1);
    expect(await launches()).toBe(spent + 1);
    const { items } = await journeys.ok(service.get(`${journeys.project}/journeys/${journeyId}/runs`));
    expect(items).toHaveLength(1);
    await journeys.over(items[0].id);
    // A repeated key returns the first run, also after it ended and under the operation's later name.
    const later = await service.post(
      `${journeys.project}/goals/${journeyId}/runs`,
      {},
      {
        headers: { 'idempotency-key': 'one of a hundred' },
      },
    );
    expect(later).toMatchObject({ status: 202, body: { id: items[0].id, goalId: journeyId, deduped: true } });
    const other = await journeys.launchAnswer(journeyId, { waveId: 'other' }, 'one of a hundred');
    expect(other).toMatchObject({ status: 409, body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } } });
  });

  test('without a key each is a run, and two limits can refuse', async () => {
    const journeyId = await journeys.journey({ hostIds: [await journeys.client([server])] });
    const first = await journeys.launch(journeyId);
    const second = await journeys.launch(journeyId);
    expect(second).not.toBe(first);
    const database = await service.database.connect();
    const day = new Date().toISOString().slice(0, 10);
    const used = await launches();
    await database.query(
      `with made as (insert into plans (name, limits, features) values ('tight', $1, '{}'))
       update organizations set plan = 'tight'`,
      [JSON.stringify({ journeyLaunchesPerDay: used })],
    );
    const daily = await journeys.launchAnswer(journeyId);
    expect(daily).toMatchObject({ status: 429, body: { details: { limit: 'journeyLaunchesPerDay' } } });
    const midnight = Date.parse(`${day}T24:00:00Z`) - Date.now();
    expect(Math.abs(Number(daily.headers.get('retry-after')) * 1000 - midnight)).toBeLessThan(60_000);
    await database.query(`update organizations set plan = 'self-hosted'`);
    await database.query(
      `insert into ledger_entries (organization_id, budget, period, position, amount, total, reason, actor)
       select organization_id, budget, period, position + n, 1, total + n, 'test', actor
       from (select * from ledger_entries where budget = 'journeyLaunchesPerDay' order by position desc limit 1) l,
         generate_series(1, 30) as n`,
    );
    const braked = await journeys.launchAnswer(journeyId);
    expect(braked).toMatchObject({ status: 429, body: { details: { reason: 'TOO_MANY_REQUESTS' } } });
    expect(Number(braked.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await database.query(`delete from ledger_entries where budget = 'journeyLaunchesPerDay'`);
    await database.end();
    await journeys.over(second);
  });

  test('what cannot run is refused before anything is written', async () => {
    const nowhere = await journeys.journey();
    expect(await journeys.launchAnswer(nowhere)).toMatchObject({
      status: 400,
      body: { details: { reason: 'NO_TARGETS' } },
    });
    const unhosted = await journeys.client([server], { modelId: 'anthropic/claude-sonnet-4-5' });
    expect(await journeys.launchAnswer(await journeys.journey({ hostIds: [unhosted] }))).toMatchObject({
      status: 400,
      body: { details: { reason: 'MODEL_UNAVAILABLE', hostedModels: expect.any(Array) } },
    });
    const hostIds = [await journeys.client([server])];
    const archived = await journeys.journey({ hostIds });
    await service.delete(`${journeys.project}/journeys/${archived}`);
    expect((await journeys.launchAnswer(archived)).status).toBe(404);
    const nothing = await journeys.launchAnswer(
      await journeys.journey({ hostIds }),
      null as unknown as object,
    );
    expect(nothing.status).toBe(400);
  });
});

describe('sessions', () => {
  test('run one after the other with each target, and three targets at once', async () => {
    const talking = new Map<string, number>();
    let most = 0;
    provider.script = playing({
      persona: (turn) => (turn < 1 ? { message: 'Hello' } : { endSession: true }),
      latencyMs: 20,
      agent: ({ body }) => {
        const system = JSON.stringify(body.messages[0]);
        talking.set(system, (talking.get(system) ?? 0) + 1);
        most = Math.max(most, provider.active.now);
        return { text: 'Hello.' };
      },
    });
    const hostIds = await Promise.all(
      Array.from({ length: 5 }, (_, nth) =>
        journeys.client([server], { systemPrompt: `You are agent ${nth}.` }),
      ),
    );
    const runId = await journeys.launch(
      await journeys.journey({ hostIds, sessionsPerTarget: 3, judge: { enabled: false } }),
    );
    const events = await journeys.follow(runId);
    const running = new Map<string, Set<number>>();
    let together = 0;
    let perTarget = 0;
    for (const { type, attempt } of events) {
      if (type !== 'session.state') continue;
      const own = running.get(attempt.targetId) ?? new Set<number>();
      running.set(attempt.targetId, own);
      if (attempt.status === 'running') own.add(attempt.sessionIndex);
      else own.delete(attempt.sessionIndex);
      perTarget = Math.max(perTarget, own.size);
      together = Math.max(together, [...running.values()].filter((set) => set.size > 0).length);
    }
    expect(perTarget).toBe(1);
    expect(together).toBeLessThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(3);
    expect([...talking.values()]).toEqual([3, 3, 3, 3, 3]);
    expect((await journeys.read(runId)).summary).toEqual({
      total: 15,
      succeeded: 15,
      failed: 0,
      rateLimited: 0,
    });
  });

  test('a limit of the provider ends its target only; one that speaks of money ends the run', async () => {
    const limited = (words: string) => ({
      status: 429,
      headers: { 'content-type': 'application/json' },
      // Longer than any retry waits.
      retryAfter: '3600',
      raw: JSON.stringify({ error: { message: words, type: 'requests' } }),
    });
    const agents = async (words: string): Promise<[string[], string]> => {
      provider.script = playing({
        persona: (turn) => (turn < 1 ? { message: 'Hello' } : { endSession: true }),
        agent: ({ body }) =>
          JSON.stringify(body.messages).includes('Be limited') ? limited(words) : { text: 'Hello.' },
      });
      const first = await journeys.client([server], { systemPrompt: 'Be limited.' });
      const rest = await journeys.client([server]);
      const hostIds = [first, rest];
      return [hostIds, await journeys.journey({ hostIds, sessionsPerTarget: 3, judge: { enabled: false } })];
    };
    const [, plain] = await agents('Too many requests');
    const limitedRun = await journeys.over(await journeys.launch(plain));
    expect(limitedRun).toMatchObject({
      status: 'partial',
      summary: { total: 6, succeeded: 3, failed: 0, rateLimited: 3 },
      targetSummaries: [{ rateLimited: 3 }, { succeeded: 3 }],
    });
    expect(limitedRun.attempts[1]).toMatchObject({
      status: 'rate_limited',
      errorCode: 'rate_limited',
      chatSessionId: null,
    });
    await forgetPauses();
    const [, money] = await agents('The monthly spend cap of this account is reached');
    const capped = await journeys.over(await journeys.launch(money));
    const { total, succeeded, failed, rateLimited } = capped.summary;
    expect([total, failed, succeeded + rateLimited]).toEqual([6, 0, 6]);
    expect(capped.attempts[0]).toMatchObject({ status: 'rate_limited', errorCode: 'spend_cap_exceeded' });
    expect(capped.attempts[5]).toMatchObject({ status: 'rate_limited', errorCode: 'spend_cap_exceeded' });
    await forgetPauses();
  });

  test('one whose server is gone fails, and says why', async () => {
    const gone = await journeys.server({ url: 'http://127.0.0.1:9/mcp' });
    const hostIds = [await journeys.client([gone])];
    const runId = await journeys.launch(await journeys.journey({ hostIds, judge: { enabled: false } }));
    const run = await journeys.over(runId);
    expect(run).toMatchObject({
      status: 'failed',
      canceled: false,
      attempts: [
        { status: 'failed', errorCode: 'session_failed', errorMessage: expect.stringMatching(/server/) },
      ],
    });
  });
});

describe('cancelling', () => {
  test.each(['POST', 'DELETE'])('with %s ends all sessions once', async (method) => {
    provider.script = playing({
      persona: () => ({ message: 'Hello' }),
      agent: () => ({ text: 'Hello.', silent: true }),
    });
    const hostIds = [await journeys.client([server]), await journeys.client([server])];
    const runId = await journeys.launch(await journeys.journey({ hostIds, sessionsPerTarget: 2 }));
    await expect
      .poll(() => provider.requests.filter((request) => askedOf(request as never) === 'agent').length)
      .toBe(2);
    const path = `${journeys.project}/journey-runs/${runId}${method === 'POST' ? '/cancel' : ''}`;
    expect(await service.request(method, path)).toMatchObject({
      status: 200,
      body: { id: runId, status: 'failed', canceled: true, alreadyCanceled: false, finalized: 4 },
    });
    expect((await service.request(method, path)).body).toMatchObject({ alreadyCanceled: true, finalized: 0 });
    expect(await journeys.over(runId)).toMatchObject({
      status: 'failed',
      canceled: true,
      error: 'canceled',
      summary: { total: 4, succeeded: 0, failed: 4, rateLimited: 0 },
    });
  });
});

/** Clears the pauses that the provider asked for, which apply to all runs. */
async function forgetPauses(): Promise<void> {
  const database = await service.database.connect();
  await database.query('delete from model_pauses');
  await database.query(`select pg_notify('drydock_model_pauses', '')`);
  await database.end();
}

async function launches(): Promise<number> {
  const database = await service.database.connect();
  const { rows } = await database.query(
    `select count(*)::int as count from ledger_entries where budget = 'journeyLaunchesPerDay'`,
  );
  await database.end();
  return rows[0].count as number;
}
