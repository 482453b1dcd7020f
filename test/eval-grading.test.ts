import { expect, test } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import { inspects, judgedBy, judgesOf, suiteJudged, verdict } from './support/judging.ts';
import { expectConsistent } from './support/run-facts.ts';
import type { ScriptedProvider } from './support/scripted-provider.ts';
import { startForTest, type TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  server = await evals.server();
});

const suiteWith = (judge: object, repetitions?: number) => suiteJudged(evals, server, judge, repetitions);
const judged = (runId: string) => judgesOf(evals, runId);
const ask = (runId: string, body?: object) => service.post(`${evals.project}/eval-runs/${runId}/judge`, body);

test('a judge that decides fails what had passed: the run is grading until it was heard', async () => {
  provider.script = judgedBy(inspects, () => verdict(0.2));
  const runId = await evals.launch({ suiteId: await suiteWith({ autoRun: true }) });
  const events = await evals.follow(runId);
  expect(events.slice(-2).map(({ data }) => data)).toMatchObject([
    { type: 'run.grading', trials: 2 },
    { type: 'run.decided', status: 'completed', result: 'failed' },
  ]);
  const run = await evals.read(runId);
  expect(run).toMatchObject({
    status: 'completed',
    result: 'failed',
    summary: { total: 2, passed: 0, failed: 2 },
    decision: { verdict: 'failed', reasons: ['casePassRateBelowThreshold'] },
    judges: { goalCompletion: { status: 'completed', modelUsed: 'scripted/model' } },
  });
  expect(run.decisionSummary.diagnostics.items[0].chain).toMatchObject({
    status: 'verified',
    firstFailedStage: 'userValue',
    failureCategory: 'userValue',
  });
  const { items } = await evals.read(runId, '/iterations');
  expect(items[0]).toMatchObject({ status: 'completed', result: 'failed', firstFailedStage: 'userValue' });
  expect(items[0].stageResults.at(-1)).toMatchObject({ state: 'failed', reason: 'judgeObserved' });
  const score = items[0].scores.find(({ scorerId }: { scorerId: string }) => scorerId === 'goalCompletion');
  expect(score).toMatchObject({
    status: 'scored',
    value: 0.2,
    passed: false,
    deterministic: false,
    model: 'scripted/model',
    promptHash: run.judges.goalCompletion.judgeTemplateHash,
  });
  expect(items[0].evaluationConfig.definitions).toContainEqual(
    expect.objectContaining({ scorerId: 'goalCompletion', role: 'gating', passThreshold: 0.7 }),
  );
  const { slices } = await evals.read(runId, '/stage-analytics');
  expect(JSON.stringify(slices)).toContain('userValue');
  await expectConsistent(evals, runId);
});

test('a judge that passes lets the run pass, and one that cannot judge makes it inconclusive', async () => {
  const suiteId = await suiteWith({ autoRun: true });
  provider.script = judgedBy(inspects, () => verdict(0.7));
  const passed = await evals.decided(await evals.launch({ suiteId }));
  expect(passed).toMatchObject({ result: 'passed', summary: { passed: 2 } });
  provider.script = judgedBy(inspects, () => ({ text: 'no idea' }));
  const runId = await evals.launch({ suiteId });
  const unsure = await evals.decided(runId);
  expect(unsure).toMatchObject({
    result: 'inconclusive',
    judges: {
      goalCompletion: { status: 'failed', errorCode: 'no_usable_answer', progress: { errors: 2 } },
    },
  });
  expect(unsure.decision.reasons).toContain('evaluatorErrorRateAboveMaximum');
  const { items } = await evals.read(runId, '/iterations');
  expect(items[0]).toMatchObject({ failureCategory: 'evaluator' });
  expect(items[0].stageResults.at(-1)).toMatchObject({ state: 'notMeasured', reason: 'judgeFailed' });
  provider.script = judgedBy(inspects, () => ({ status: 401, text: 'who are you' }));
  const locked = await evals.decided(await evals.launch({ suiteId }));
  expect(locked).toMatchObject({
    result: 'inconclusive',
    judges: { goalCompletion: { status: 'failed', errorCode: 'model_unauthorized' } },
  });
});

test('a run is not decided while its judge is silent, can be cancelled then, and has no verdict', async () => {
  let asked = (): void => {};
  const judging = new Promise<void>((resolve) => {
    asked = resolve;
  });
  provider.script = judgedBy(inspects, () => (asked(), { silent: true }));
  const runId = await evals.launch({ suiteId: await suiteWith({ autoRun: true }) });
  await judging;
  expect(await evals.read(runId)).toMatchObject({
    status: 'grading',
    result: null,
    decision: null,
    decisionSummary: { verdict: 'notEstablished', undecided: { reason: 'runNotTerminal' } },
    judges: { goalCompletion: { status: 'pending', cases: [], progress: { total: 2, completed: 0 } } },
  });
  expect(await ask(runId)).toMatchObject({ status: 409, body: { details: { reason: 'RUN_NOT_OVER' } } });
  const cancelled = await service.post(`${evals.project}/eval-runs/${runId}/cancel`);
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', result: null } });
  const run = await evals.decided(runId);
  expect(run).toMatchObject({
    status: 'cancelled',
    judges: { goalCompletion: { status: 'failed', errorCode: 'run_ended' } },
  });
  await expectConsistent(evals, runId);
});

test('a judge that takes too long is not waited for, and what it did not say is missing', async () => {
  const database = await service.database.connect();
  try {
    let calls = 0;
    let stuck = (): void => {};
    const silent = new Promise<void>((resolve) => {
      stuck = resolve;
    });
    provider.script = judgedBy(inspects, () => (calls++ === 0 ? verdict(1) : (stuck(), { silent: true })));
    const runId = await evals.launch({ suiteId: await suiteWith({ autoRun: true }) });
    await silent;
    const overdue = `with late as (update eval_run_judgements set deadline_at = now() - interval '1 s' where run_id = $1)
      insert into jobs (id, kind, payload, unique_key, due_at, organization_id)
      values ('job_late', 'decide-eval-run', jsonb_build_object('runId', $1::text), 'late', now(), '')`;
    await database.query(overdue, [runId]);
    await database.query(`select pg_notify('drydock_jobs', '')`);
    const run = await evals.decided(runId);
    expect(run).toMatchObject({
      status: 'completed',
      result: 'inconclusive',
      judges: { goalCompletion: { status: 'failed', errorCode: 'deadline_exceeded', cases: [{ score: 1 }] } },
    });
    expect(run.statistics.trials).toMatchObject({ passed: 1, trials: 1 });
  } finally {
    await database.end();
  }
});

test('a judge that warns is asked by itself and decides nothing', async () => {
  provider.script = judgedBy(inspects, () => verdict(0));
  const runId = await evals.launch({ suiteId: await suiteWith({ autoRun: true, severity: 'warn' }) });
  expect(await evals.decided(runId)).toMatchObject({ status: 'completed', result: 'passed' });
  const { goalCompletion } = await judged(runId);
  expect(goalCompletion).toMatchObject({
    status: 'completed',
    cases: [{ passed: false }, { passed: false }],
  });
  const { items } = await evals.read(runId, '/iterations');
  expect(JSON.stringify(items)).not.toContain('goalCompletion');
});

test('without a language model words are counted, which is advice also where the judge of the suite decides', async () => {
  const offline = await startForTest();
  const mine = await Evals.of(offline);
  const model = 'drydock/rehearsal';
  const tests = [
    { ...promptCase('Names the ship', 'Inspect the Albatross'), expectedOutput: 'Albatross' },
    {
      ...promptCase('Says something else', 'Inspect the Albatross, please'),
      expectedOutput: 'Zanzibar 4711',
    },
    promptCase('Has nothing to compare', 'Please inspect the Albatross'),
    promptCase('Does without', 'Inspect the Albatross now'),
  ];
  const fields = { serverIds: [await mine.server()], model, repetitions: 1, passThreshold: 1, tests };
  const suiteId = await mine.suite(fields);
  const suite = `${mine.project}/eval-suites/${suiteId}`;
  const settings = { judge: { autoRun: true }, validity: { maxEvaluatorErrorRate: 1 } };
  expect((await offline.patch(suite, { settings })).status).toBe(200);
  const { items: cases } = (await offline.get(`${suite}/cases`)).body;
  const without = { judge: { enabled: false } };
  expect((await offline.patch(`${suite}/cases/${cases[3].id}`, without)).status).toBe(200);
  const disclosed = await offline.get(`${suite}/run-disclosure`);
  expect(disclosed.body.analysis).toContainEqual(
    expect.objectContaining({ kind: 'judge', model: 'drydock/lexical-rubric', decides: false }),
  );
  const runId = await mine.launch({ suiteId });
  // Only a judge that decides is waited for.
  expect(await mine.decided(runId)).toMatchObject({ status: 'completed', result: 'passed' });
  const { goalCompletion, groundedness } = await judgesOf(mine, runId);
  expect(goalCompletion).toMatchObject({
    status: 'completed',
    modelUsed: 'drydock/lexical-rubric',
    basis: 'wordCount',
    advisory: true,
    summary: expect.stringMatching(/^Advisory \(offline judge\): 1 of 2 /),
    cases: [{ score: 1 }, { score: 0 }, { status: 'skipped' }, { status: 'skipped' }],
  });
  expect(groundedness).toMatchObject({ basis: 'wordCount', advisory: true });
  const { items } = await mine.read(runId, '/iterations');
  expect(items.map(({ result }: { result: string }) => result)).toEqual(Array(4).fill('passed'));
  expect(JSON.stringify(items)).not.toContain('goalCompletion');
  const backtest = await offline.post(`${mine.project}/eval-runs/${runId}/judge/backtest`, { rubric: null });
  expect(backtest).toMatchObject({ status: 200, body: { basis: 'wordCount' } });
});
