// @module-tag long
import { beforeEach, expect, test, vi } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import { judgedBy, judgeRequest, verdict } from './support/judging.ts';
import { callThenAnswer, type Script, type ScriptedProvider } from './support/scripted-provider.ts';
import { type Answer, startForTest, type TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  server = await evals.server();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const inspects = callThenAnswer(
  { name: 'inspect_hull', input: { ship: 'Albatross' } },
  'Three plates of the Albatross are rusty.',
);
const tests = [
  promptCase(
    'Inspects',
    'May the Albatross sail?',
    { type: 'toolCalledWith', toolName: 'inspect_hull', args: { args: { ship: 'Albatross' } } },
    { type: 'responseContains', needle: 'rusty' },
  ),
  {
    ...promptCase('Is told otherwise', 'Is the Albatross shiny?'),
    checks: { mode: 'extend', list: [{ type: 'responseContains', needle: 'shiny' }] },
  },
];

async function ranWith(script: Script, mine = evals, serverId = server, more: object = {}): Promise<string> {
  provider.script = script;
  const suite = { serverIds: [serverId], repetitions: 2, passThreshold: 1, tests, ...more };
  const runId = await mine.launch({ suiteId: await mine.suite(suite) });
  await mine.decided(runId);
  return runId;
}

const backtest = (runId: string, body: object, mine = evals): Promise<Answer> =>
  mine.service.post(`${mine.project}/eval-runs/${runId}/backtest`, body);
const judgeBacktest = (runId: string, body: object): Promise<Answer> =>
  service.post(`${evals.project}/eval-runs/${runId}/judge/backtest`, body);

/** Ages all backtests by a minute. */
async function later(): Promise<void> {
  const database = await service.database.connect();
  await database.query(`update eval_backtests set created_at = created_at - interval '1 minute'`);
  await database.end();
}

test('a draft of checks is tried on what was recorded, and changes nothing', async () => {
  const runId = await ranWith(inspects);
  const before = await evals.read(runId);
  const iterations = await evals.read(runId, '/iterations');
  expect(before).toMatchObject({ result: 'failed', summary: { passed: 2, failed: 2 } });

  const draft = async (assertions: object, more: object = {}) => {
    const answer = await backtest(runId, { assertions, ...more });
    expect(answer).toMatchObject({ status: 200, body: { complete: true, continuationAvailable: false } });
    await later();
    return answer.body;
  };
  const shiny = { type: 'responseContains', needle: 'shiny' };
  const same = await draft({ mode: 'inherit', list: [] });
  expect(same).toMatchObject({
    schemaVersion: 1,
    sourceRunId: runId,
    modelUse: 'none',
    counts: { iterations: 4, comparable: 4, ungradable: 0, flipped: 0 },
    differences: [],
  });
  const stricter = await draft({ mode: 'extend', list: [shiny] });
  expect(stricter.sourceHash).toBe(same.sourceHash);
  expect(stricter.counts).toMatchObject({ comparable: 4, flipped: 2 });
  expect(stricter.differences[0]).toMatchObject({ title: 'Inspects', before: 'passed', after: 'failed' });
  expect(stricter.differences[0].reasons[0]).toContain('responseContains');
  const looser = await draft({ mode: 'replace', list: [] });
  expect(looser.counts).toMatchObject({ comparable: 4, flipped: 2 });
  expect(looser.differences[0]).toMatchObject({
    title: 'Is told otherwise',
    before: 'failed',
    after: 'passed',
  });
  // The recording includes the results of tools, their latency and their size.
  const recorded = await draft({
    mode: 'replace',
    list: [
      { type: 'toolResultContains', toolName: 'inspect_hull', needle: 'Albatross' },
      { type: 'toolLatencyUnder', ms: 60_000 },
      { type: 'toolResultSizeUnder', maxBytes: 5 },
      { type: 'turnCountUnder', turns: 2 },
      { type: 'tokenBudgetUnder', tokens: 100_000 },
    ],
  });
  expect(recorded.counts).toMatchObject({ comparable: 4, flipped: 2 });
  expect(recorded.differences[0].reasons.join()).toMatch(/toolResultSizeUnder/);
  // The recording has no tool declarations, so trials cannot be graded by them.
  const undeclared = await draft({ mode: 'extend', list: [{ type: 'toolNamesUnique' }] });
  expect(undeclared.counts).toMatchObject({ comparable: 0, ungradable: 4, flipped: 0 });
  const noExtras = await draft({ mode: 'inherit', list: [] }, { matchOptions: { extraToolCalls: 0 } });
  expect(noExtras.counts).toMatchObject({ comparable: 4, flipped: 0 });

  expect(await evals.read(runId)).toEqual(before);
  expect(await evals.read(runId, '/iterations')).toEqual(iterations);
  expect(provider.requests).toHaveLength(8);
});

test('a new draft waits a minute, is checked like any other, and needs a run that is over', async () => {
  const runId = await ranWith(inspects);
  const draft = { assertions: { mode: 'inherit', list: [] } };
  expect((await backtest(runId, draft)).status).toBe(200);
  const soon = await backtest(runId, draft);
  expect(soon).toMatchObject({ status: 429, body: { details: { reason: 'BACKTEST_COOLDOWN' } } });
  expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(50);
  const broken = { type: 'responseMatches', pattern: '(' };
  expect((await backtest(runId, { assertions: { mode: 'extend', list: [broken] } })).status).toBe(400);
  const many = Array.from({ length: 26 }, () => ({ type: 'noToolErrors' }));
  expect((await backtest(runId, { assertions: { mode: 'extend', list: many } })).status).toBe(400);
  provider.script = () => ({ silent: true });
  const open = await evals.launch({ suiteId: await evals.suite({ serverIds: [server], tests }) });
  expect(await backtest(open, draft)).toMatchObject({
    status: 409,
    body: { details: { reason: 'RUN_NOT_OVER' } },
  });
  await service.post(`${evals.project}/eval-runs/${open}/cancel`);
});

test('a run of many trials is gone through page by page, each answered once', async () => {
  const offline = await startForTest();
  const mine = await Evals.of(offline);
  const runId = await ranWith(inspects, mine, await mine.server(), {
    model: 'drydock/rehearsal',
    repetitions: 60,
    tests: [promptCase('One', 'Inspect the Albatross'), promptCase('Two', 'List the ships')],
  });
  const draft = {
    assertions: { mode: 'extend', list: [{ type: 'responseContains', needle: 'nobody says this' }] },
  };
  const first = await backtest(runId, draft, mine);
  expect(first.body).toMatchObject({
    complete: false,
    continuationAvailable: true,
    counts: { iterations: 100 },
  });
  const { continuation } = first.body;
  const rest = await backtest(runId, { ...draft, continuation }, mine);
  expect(rest.body).toMatchObject({ complete: true, counts: { iterations: 20 } });
  expect(rest.body.continuation).toBeUndefined();
  const seen = [...first.body.differences, ...rest.body.differences].map(({ iterationId }) => iterationId);
  expect(new Set(seen).size).toBe(seen.length);
  expect(first.body.counts.flipped + rest.body.counts.flipped).toBe((await mine.read(runId)).summary.passed);
  expect((await backtest(runId, { ...draft, continuation }, mine)).body).toEqual(rest.body);

  const other = { assertions: { mode: 'inherit', list: [] } };
  const refused = async (body: object) => {
    const answer = await backtest(runId, body, mine);
    return [answer.status, answer.body.details?.reason];
  };
  expect(await refused({ ...other, continuation })).toEqual([409, 'DRAFT_CHANGED']);
  expect(await refused({ ...draft, continuation: { ...continuation, reservationId: 'btt_x' } })).toEqual([
    409,
    'RESERVATION_GONE',
  ]);
  expect(await refused({ ...draft, continuation: { ...continuation, cursor: '-1' } })).toEqual([
    400,
    undefined,
  ]);
  const database = await offline.database.connect();
  await database.query(`update eval_results set finished_at = now() where run_id = $1 and position = 0`, [
    runId,
  ]);
  await database.end();
  expect(await refused({ ...draft, continuation })).toEqual([409, 'EVIDENCE_CHANGED']);
});

test('a draft of a rubric is tried page by page, beside what was said before, and changes nothing', async () => {
  const runId = await ranWith(
    judgedBy(inspects, () => verdict(0.9)),
    evals,
    server,
    { repetitions: 5 },
  );
  const judge = `${evals.project}/eval-runs/${runId}/judge`;
  expect((await service.post(judge)).status).toBe(202);
  await expect.poll(async () => (await evals.read(runId)).judges.goalCompletion.status).toBe('completed');
  const before = await evals.read(runId);

  const rubric = {
    instructions: 'Be strict.',
    criteria: [{ id: 'ships', label: 'Names ships', required: true }],
  };
  let calls = 0;
  provider.script = judgedBy(inspects, () =>
    calls++ === 0 ? { text: 'no' } : verdict(0.5, { rubricHits: ['ships'] }),
  );
  const first = await judgeBacktest(runId, { rubric });
  expect(first).toMatchObject({ status: 200, body: { ok: false, cursor: 8, isDone: false } });
  expect(first.body.cases).toHaveLength(8);
  const drafts = first.body.cases.map(({ draft }: { draft: object | null }) => draft);
  expect(drafts.filter((draft: object | null) => draft === null)).toHaveLength(1);
  expect(drafts).toContainEqual({ score: 0.5, passed: false, rubricHits: ['ships'] });
  expect(first.body.cases[0].current).toMatchObject({ score: 0.9, passed: true });
  const asked = provider.requests.flatMap((request) => judgeRequest(request) ?? []);
  expect(asked.at(-1)).toContain('Be strict.');

  const { cursor, sourceHash, reservationId } = first.body;
  const continuation = { cursor, sourceHash, reservationId };
  const rest = await judgeBacktest(runId, { rubric, continuation });
  expect(rest.body).toMatchObject({ ok: true, cursor: 10, isDone: true, cases: { length: 2 } });
  const made = calls;
  expect((await judgeBacktest(runId, { rubric, continuation })).body).toEqual(rest.body);
  expect(calls).toBe(made);
  const changed = await judgeBacktest(runId, { rubric: null, continuation });
  expect(changed).toMatchObject({ status: 409, body: { details: { reason: 'DRAFT_CHANGED' } } });
  // A continuation starts only at a cursor that an answer returned.
  for (const elsewhere of [1, 9, 3_000_000_000]) {
    const skipped = await judgeBacktest(runId, {
      rubric,
      continuation: { ...continuation, cursor: elsewhere },
    });
    expect(skipped.status).toBe(400);
  }
  expect(calls).toBe(made);
  const stale = { rubric, continuation: { ...continuation, sourceHash: 'a'.repeat(64) } };
  expect(await judgeBacktest(runId, stale)).toMatchObject({
    status: 409,
    body: { details: { reason: 'EVIDENCE_CHANGED' } },
  });
  expect((await judgeBacktest(runId, { rubric: { criteria: [] } })).status).toBe(400);
  expect(await evals.read(runId)).toEqual(before);

  provider.script = () => ({ status: 401, text: 'no' });
  expect((await judgeBacktest(runId, { rubric: null })).status).toBe(502);
});

test('two that ask for the same page at once are answered the same', async () => {
  const runId = await ranWith(
    judgedBy(inspects, () => verdict(1)),
    evals,
    server,
    { repetitions: 5 },
  );
  const { body } = await judgeBacktest(runId, { rubric: null });
  const { cursor, sourceHash, reservationId } = body;
  let calls = 0;
  provider.script = judgedBy(inspects, () => ({ ...verdict(++calls / 10), latencyMs: 200 }));
  const again = { rubric: null, continuation: { cursor, sourceHash, reservationId } };
  const [one, other] = await Promise.all([judgeBacktest(runId, again), judgeBacktest(runId, again)]);
  expect(one.status).toBe(200);
  expect(other.body).toEqual(one.body);
});

test('a provider that was told to wait for is not asked by a draft either', async () => {
  const runId = await ranWith(inspects);
  const database = await service.database.connect();
  try {
    provider.script = judgedBy(inspects, () => ({ status: 429, text: 'later', retryAfter: '100' }));
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 60_000 ? 1_500 : ms));
    expect((await judgeBacktest(runId, { rubric: null })).status).toBe(504);
    const { rows } = await database.query("select from model_pauses where until > now() + interval '60 s'");
    expect(rows).toHaveLength(1);
    provider.requests.length = 0;
    expect((await judgeBacktest(runId, { rubric: null })).status).toBe(504);
    expect(provider.requests).toEqual([]);
  } finally {
    vi.restoreAllMocks();
    await database.query('delete from model_pauses');
    await database.end();
  }
});
