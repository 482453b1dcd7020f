import { expect, onTestFinished, test } from 'vitest';
import { type Evals, executing, promptCase } from './support/evals.ts';
import { inspects, judgedBy, suiteJudged, verdict } from './support/judging.ts';
import { expectConsistent } from './support/run-facts.ts';
import {
  callThenAnswer,
  type Reply,
  type Script,
  type ScriptedProvider,
} from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { startChanging } from './targets/changing.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  server = await evals.server();
});

// Tests read arbitrary answers.
// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

const flood = { name: 'flood_dock', input: {} };
/** Turn endings other than the model's own stop. A cut-off answer also calls the forbidden tool. */
const endings: Record<string, Reply> = {
  length: { text: 'I will', toolCalls: [flood], finish: 'length' },
  'content-filter': { text: 'I will', finish: 'content-filter' },
  'unheard-of': { text: 'The Albatross may sail.', finish: 'unheard-of' },
  'step-limit': { toolCalls: [{ name: 'list_ships', input: {} }] },
};
const finishOf: Record<string, string> = { 'unheard-of': 'other' };

/** Ends the turn as the prompt says. */
const asToldTo: Script = ({ body }) => {
  const told = JSON.stringify(body.messages);
  return Object.entries(endings).find(([ending]) => told.includes(`[${ending}]`))?.[1] ?? { text: 'Done.' };
};

const neverFloods = { type: 'toolNeverCalled', toolName: 'flood_dock' };
const casesOf = (ending: string): Record<string, unknown>[] => {
  const ask = `May she sail? [${ending}]`;
  const second = { id: 'second', kind: 'prompt', prompt: 'Sure?' };
  return [
    promptCase(`${ending}: bare`, ask),
    promptCase(`${ending}: asserts`, ask, neverFloods),
    { ...promptCase(`${ending}: negative`, ask), isNegativeTest: true },
    { title: `${ending}: two prompts`, steps: [{ id: 'ask', kind: 'prompt', prompt: ask }, second] },
    {
      ...promptCase(`${ending}: checks`, ask),
      checks: { mode: 'replace', list: [{ type: 'turnCountUnder', turns: 9 }] },
    },
  ];
};
/** Reaching the step limit takes twenty model calls, so only its first two cases run. */
const tests = Object.keys(endings).flatMap((ending) =>
  casesOf(ending).slice(0, ending === 'step-limit' ? 2 : undefined),
);
const decidedCaseByCase = { repetitions: 1, passThreshold: 1 };

test.each([
  ['policy 2', decidedCaseByCase, 'inconclusive', 'inconclusive'],
  ['the legacy policy', { passCriteria: { minimumPassRate: 100 } }, 'failed', 'failed'],
])('a turn that does not end by itself never passes by %s', async (_policy, how, result, said) => {
  provider.script = asToldTo;
  const asked = provider.requests.length;
  const runId = await evals.launch({ suiteId: await evals.suite({ serverIds: [server], tests, ...how }) });
  const run = await evals.decided(runId);
  expect(run).toMatchObject({
    status: 'completed',
    result,
    decisionSummary: { verdict: said },
    summary: { passed: 0 },
  });
  const { items } = await evals.read(runId, '/iterations');
  expect(items).toHaveLength(tests.length);
  for (const item of items as Found[]) {
    const [ending] = item.title.split(':');
    expect(item).toMatchObject({
      status: 'failed',
      result: 'failed',
      finishReason: finishOf[ending] ?? ending,
    });
    expect(item.error).toMatch(/output limit|content filter|unknown reason: unheard_of|step limit/);
    expect(
      item.scores.filter(({ scorerId, passed }: Found) => /^toolNeverCalled/.test(scorerId) && passed),
    ).toEqual([]);
  }
  // No second prompt was sent.
  expect(JSON.stringify(provider.requests.slice(asked))).not.toContain('Sure?');
  const { items: why } = run.decisionSummary.diagnostics;
  expect(why[0]).toMatchObject({
    status: 'failed',
    observed: { failure: expect.stringContaining('output limit') },
  });
  await expectConsistent(evals, runId);
});

test('a run that passes without some of its trials says so, and is not compared by what was not measured', async () => {
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 10,
    passThreshold: 1,
    tests: [promptCase('Answers', 'Say it.', { type: 'responseContains', needle: 'Done' })],
  });
  /** Runs the suite with a model that is cut off in so many trials. */
  const runWith = async (cutOff: number): Promise<Found> => {
    let trials = 0;
    provider.script = () => (++trials <= cutOff ? { text: 'I', finish: 'length' } : { text: 'Done.' });
    return evals.decided(await evals.launch({ suiteId }));
  };
  const compared = async (runId: string): Promise<Found> => {
    const { cases, passSummary } = await evals.read(runId, '/compare');
    return [cases[0].status, passSummary.passRatePercent.base, passSummary.passRatePercent.compare];
  };
  await runWith(0);
  const some = await runWith(2);
  const message =
    '2 of 10 trials of "Answers" did not complete or could not be judged. The pass rate excludes them.';
  expect(some).toMatchObject({ result: 'passed', warnings: [{ code: 'trials_excluded', message }] });
  expect(some.statistics.cases[0]).toMatchObject({ passed: 8, trials: 8, excluded: 2, rate: 1 });
  expect(await compared(some.id)).toEqual(['unchanged_passed', 100, 100]);
  const again = await service.post(`${evals.project}/eval-runs/${some.id}/rerun`, { scope: 'failed_cases' });
  expect(again).toMatchObject({ status: 409, body: { details: { code: 'NO_FAILED_CASES' } } });
  const all = await runWith(10);
  expect(all).toMatchObject({ result: 'inconclusive' });
  expect(await compared(all.id)).toEqual(['not_measured', 100, null]);
  expect(await compared((await runWith(0)).id)).toEqual(['not_measured', null, 100]);
});

test('a judge whose own answer was cut off has said nothing, and one without a usable answer has failed', async () => {
  const suiteId = await suiteJudged(evals, server, { autoRun: true });
  for (const answer of [
    { ...verdict(1), finish: 'length' },
    { ...verdict(1), finish: 'content-filter' },
    { text: 'no idea' },
  ] satisfies Reply[]) {
    provider.script = judgedBy(inspects, () => answer);
    const run = await evals.decided(await evals.launch({ suiteId }));
    expect(run).toMatchObject({
      result: 'inconclusive',
      judges: {
        goalCompletion: {
          status: 'failed',
          errorCode: 'no_usable_answer',
          summary: 'No trial could be judged; 2 could not be judged',
          progress: { completed: 0, errors: 2 },
        },
        groundedness: { status: 'failed' },
      },
    });
  }
  // A judge with at least one usable answer is completed.
  let asked = 0;
  provider.script = judgedBy(inspects, () => (asked++ === 0 ? verdict(1) : { text: 'no idea' }));
  const run = await evals.decided(await evals.launch({ suiteId }));
  expect(run.judges.goalCompletion).toMatchObject({
    status: 'completed',
    progress: { completed: 1, errors: 1 },
  });
});

test('a call that never reached a server is a mistake of the model, whether or not it fails the trial', async () => {
  const mistakes = {
    ghost: { call: { name: 'sink_ship', input: {} }, stage: 'selection', category: 'selection' },
    garbled: { call: { name: 'list_ships', input: '{"kind":' }, stage: 'call', category: 'arguments' },
  };
  provider.script = (request) => {
    const told = JSON.stringify(request.body.messages);
    return callThenAnswer(mistakes[told.includes('ghost') ? 'ghost' : 'garbled'].call)(request);
  };
  const mistaken = Object.keys(mistakes).flatMap((name) =>
    [true, false].map((failOnToolError) => ({
      ...promptCase(`${name} ${failOnToolError}`, name, { type: 'responseContains', needle: 'done' }),
      advancedConfig: { failOnToolError },
    })),
  );
  const suiteId = await evals.suite({ serverIds: [server], ...decidedCaseByCase, tests: mistaken });
  const runId = await evals.launch({ suiteId });
  const run = await evals.decided(runId);
  const { items } = await evals.read(runId, '/iterations');
  for (const item of items as Found[]) {
    const [name, fails] = item.title.split(' ');
    const { stage, category } = mistakes[name as keyof typeof mistakes];
    expect(item).toMatchObject({
      status: 'completed',
      result: fails === 'true' ? 'failed' : 'passed',
      firstFailedStage: stage,
      failureCategory: category,
    });
    expect(item.stageResults.find(({ state }: Found) => state === 'failed')).toMatchObject({ stage });
  }
  const advice = run.decisionSummary.diagnostics.items.map(({ nextAction }: Found) => nextAction);
  expect(advice).toHaveLength(2);
  for (const sentence of advice)
    expect(sentence).toMatch(/^Compare the (called tools|arguments of the call)/);
});

test('a pinned call of a tool that is gone is a failure, and a server that does not answer is none', async () => {
  const refuse = (name: string): object => {
    if (name === 'hull') return { content: [{ type: 'text', text: 'fine' }] };
    throw new Error(`no tool ${name}`);
  };
  const tools = [
    { name: 'hull', inputSchema: { type: 'object' } },
    { name: 'rusty', inputSchema: { type: 'object' } },
  ];
  const target = await startChanging({ tools, call: refuse });
  onTestFinished(() => target.stop());
  const servers = {
    changing: await evals.server({ url: target.url, name: 'changing' }),
    demo: await evals.server({ name: 'demo' }),
  };
  const pinned = (serverName: string, toolName: string, failOnToolError: boolean) => ({
    title: `${serverName} ${toolName} ${failOnToolError}`,
    steps: [
      { id: 'pin', kind: 'toolCall', serverName, toolName, arguments: {} },
      { id: 'assert', kind: 'assert', assertion: { type: 'toolLatencyUnder', ms: 60_000 } },
    ],
    advancedConfig: { failOnToolError },
  });
  const gone = [
    pinned('changing', 'keel', true),
    pinned('changing', 'keel', false),
    pinned('demo', 'keel', true),
  ];
  const suiteOf = (cases: Record<string, unknown>[]) =>
    evals.suite({ serverIds: Object.values(servers), ...decidedCaseByCase, tests: cases });
  const runId = await evals.launch({ suiteId: await suiteOf(gone) });
  expect(await evals.decided(runId)).toMatchObject({ status: 'completed', result: 'failed' });
  const { items } = await evals.read(runId, '/iterations');
  for (const item of items) expect(item).toMatchObject({ status: 'completed', result: 'failed' });
  expect(items[0]).toMatchObject({ firstFailedStage: 'call' });
  // The tool exists, but the transport broke, so the result is inconclusive.
  const unknown = await evals.launch({ suiteId: await suiteOf([pinned('changing', 'rusty', true)]) });
  expect(await evals.decided(unknown)).toMatchObject({ result: 'inconclusive' });
});

test('a run that was cancelled says which trials it has no result of, and claims no rate', async () => {
  let begun = 0;
  let stuck = (): void => {};
  const silent = new Promise<void>((resolve) => {
    stuck = resolve;
  });
  provider.script = (request) => {
    if (request.results > 0 || ++begun <= 2) return inspects(request);
    stuck();
    return { silent: true };
  };
  const check = { type: 'responseContains', needle: 'rusty' };
  const suiteId = await evals.suite({
    serverIds: [server],
    repetitions: 8,
    passThreshold: 1,
    tests: [promptCase('Inspects', 'May the Albatross sail?', check)],
  });
  const runId = await evals.launch({ suiteId });
  await silent;
  await expect.poll(async () => (await evals.read(runId)).progress.finished).toBe(2);
  const { body: cancelled } = await service.post(`${evals.project}/eval-runs/${runId}/cancel`);
  const warnings = [{ code: 'trials_not_run', message: '6 of 8 trials were not carried out.' }];
  const summary = { total: 8, passed: 2, failed: 0, notRun: 6 };
  expect(cancelled).toMatchObject({ status: 'cancelled', result: null, warnings });
  const run = await evals.read(runId);
  expect(run.summary).toEqual(summary);
  expect(run).toMatchObject({ warnings, statistics: null, decision: null });
  const { items: listed } = (await service.get(`${evals.project}/eval-runs?suiteId=${suiteId}`)).body;
  expect(listed[0]).toMatchObject({ summary, warnings });
  const { latestRun } = (await service.get(`${evals.project}/eval-suites`)).body.items.find(
    ({ id }: Found) => id === suiteId,
  );
  // A cancelled run does not represent the suite.
  expect(latestRun).toBeNull();
  for (const diagnostics of [
    run.decisionSummary.diagnostics,
    (await evals.read(runId, '/decision-summary')).diagnostics,
  ]) {
    expect(diagnostics).toMatchObject({ complete: true, scannedIterations: 8 });
    expect(diagnostics.items).toHaveLength(6);
    for (const item of diagnostics.items)
      expect(item).toMatchObject({
        title: 'Inspects',
        status: 'cancelled',
        chain: { status: 'absent' },
        observed: { failure: 'The run was cancelled before this trial ended' },
        nextAction: 'This trial has no result. Run the case again.',
      });
  }
  await expectConsistent(evals, runId);
});
