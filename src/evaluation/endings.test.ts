import { describe, expect, test } from 'vitest';
import { call, complete, evidence, result, tool, toolError } from '../../test/support/evidence.ts';
import type { Check } from '../contract/eval-checks.ts';
import type { Step } from '../contract/eval-steps.ts';
import { backtestTrial } from './backtest/backtest.ts';
import { evaluateCheck } from './checks/evaluate.ts';
import type { TrialEvidence } from './evidence.ts';
import { defaultMatchOptions } from './matching/options.ts';
import type { TrialOutcome } from './outcome.ts';
import { planSteps, type TrialPlan } from './plan.ts';
import { type GradedTrial, withJudgement } from './scores/judgement.ts';
import { scorecardOf } from './scores/scorers.ts';
import { type Grade, gradeTrial } from './trial.ts';
import { legacyResult, summarizeTrials } from './verdict/legacy.ts';
import { decide, resolvePolicy } from './verdict/policy.ts';

const ask: Step = { id: 'ask', kind: 'prompt', prompt: 'Where is the ship?' };
const again: Step = { id: 'again', kind: 'prompt', prompt: 'And now?' };
const pinned: Step = { id: 'pin', kind: 'toolCall', serverName: 's', toolName: 'find', arguments: {} };
const click: Step = { id: 'click', kind: 'interact', toolName: 'map', action: { kind: 'key', key: 'Enter' } };
const asserting = (id: string, assertion: Check): Step => ({ id, kind: 'assert', assertion });

/** Checks that the evidence of an incomplete trial meets, each for a different reason. */
const met: Check[] = [
  { type: 'toolNeverCalled', toolName: 'flood_dock' },
  { type: 'toolCalledWith', toolName: 'find', args: { args: {} } },
  { type: 'responseContains', needle: 'Kiel' },
  { type: 'noToolErrors' },
  { type: 'toolLatencyUnder', ms: 5_000 },
  { type: 'finalAssistantMessageNonEmpty' },
];
const judge = { model: 'judge', deterministic: false, passThreshold: 0.7, rule: null };

/** Every form of a case. The steps after the first prompt are the ones under test. */
const shapes: Record<string, { steps: Step[]; over?: Partial<TrialPlan> }> = {
  bare: { steps: [ask] },
  'a second prompt': { steps: [ask, again] },
  negative: { steps: [ask], over: { isNegative: true } },
  'negative, with a second prompt': { steps: [ask, again], over: { isNegative: true } },
  'a pinned call behind it': { steps: [ask, pinned] },
  'a step on a widget behind it': { steps: [ask, click] },
  judged: { steps: [ask], over: { judge } },
  'extra calls limited': { steps: [ask], over: { match: { ...defaultMatchOptions, extra: 5 } } },
  ...Object.fromEntries(
    met.flatMap((check) => [
      [`asserts ${check.type}`, { steps: [ask, asserting('a', check)] }],
      [`asserts ${check.type} after a second prompt`, { steps: [ask, again, asserting('a', check)] }],
      [`checks ${check.type}`, { steps: [ask], over: { checks: [check] } }],
      [`advises ${check.type}`, { steps: [ask, asserting('a', { ...check, role: 'advisory' })] }],
    ]),
  ),
};

/** How a turn can end other than by the model finishing its answer. */
const endings: Record<string, Partial<TrialOutcome>> = {
  length: { finishReason: 'length' },
  'content filter': { finishReason: 'content-filter' },
  'unknown reason': { finishReason: 'other' },
  'step limit': { finishReason: 'step-limit' },
  error: { finishReason: 'error', modelFailure: { message: 'overloaded' } },
  aborted: { finishReason: 'aborted' },
  'no reason recorded': {},
  'a call that failed before': { finishReason: 'length' },
};

const good = evidence({
  turns: [{ promptIndex: 0, prompt: 'Where is the ship?', finalText: 'In Kiel.' }],
  finalText: 'In Kiel.',
  toolCalls: [call('find')],
  toolResults: complete(result('find')),
  inventory: complete(tool('find'), tool('flood_dock')),
  declarations: complete(tool('find'), tool('flood_dock')),
});
const quiet: TrialEvidence = { ...good, toolCalls: [], toolResults: complete() };
const withError = { ...good, toolErrors: [toolError('find', 'no')] };

function planned({ steps, over }: { steps: Step[]; over?: Partial<TrialPlan> }): TrialPlan {
  return { ...planSteps(steps), isNegative: false, match: defaultMatchOptions, checks: [], ...over };
}

/** The step outcomes of a trial whose first prompt failed: later steps are skipped. */
function cutOff(steps: readonly Step[]): TrialOutcome['steps'] {
  return steps.map(({ id, kind }, at) =>
    at === 0
      ? { stepId: id, kind, status: 'fail', reason: 'cut off' }
      : { stepId: id, kind, status: 'skipped', reason: 'An earlier step ended the trial' },
  );
}

/** The verdicts of a run with this one trial under both policies. */
function verdicts(
  status: 'completed' | 'failed',
  { result, evaluatorError }: Pick<Grade, 'result' | 'evaluatorError'>,
) {
  const trial = { caseId: 'c', status, result, evaluatorError };
  const variant = { caseId: 'c', configuredTrials: 1, passThreshold: 1 };
  return [decide(resolvePolicy(), [variant], [trial]).verdict, legacyResult(summarizeTrials([trial]))];
}

/** The trial after a gating judge rated it as passed. */
function heard(plan: TrialPlan, status: string, grade: Grade): GradedTrial {
  const goal = { status: 'scored' as const, score: 1, reason: 'well done', rubricHits: [] };
  return withJudgement({ ...grade, status }, scorecardOf(plan), goal);
}

const cases = Object.entries(shapes).flatMap(([shape, form]) =>
  Object.entries(endings).flatMap(([ending, outcome]) =>
    // Executors no longer report `completed` for these, but stored trials have it and are graded again.
    (['failed', 'completed'] as const).map((status) => ({ shape, form, ending, outcome, status })),
  ),
);

describe.each(cases)('$shape, ended by $ending, recorded as $status', ({ form, outcome, ending, status }) => {
  const plan = planned(form);
  const happened = ending.startsWith('a call') ? withError : plan.isNegative ? quiet : good;
  const ended: TrialOutcome = { status, steps: cutOff(form.steps), ...outcome, evidence: happened };

  test.each([true, false])('never passes (failOnToolError %s)', (failOnToolError) => {
    const strict = { ...plan, failOnToolError };
    const grade = gradeTrial(strict, ended);
    expect(grade.result).toBe('failed');
    expect(grade.evaluatorError).toBe(status === 'completed');
    for (const one of [grade, heard(strict, status, grade)]) {
      expect(one.result).toBe('failed');
      const [policy2, legacy] = verdicts(status, one);
      expect(policy2).toBe('inconclusive');
      expect(legacy).toBe('failed');
    }
  });
});

test.each(Object.keys(shapes))('%s: the same trial passes when its turns end by themselves', (shape) => {
  const form = shapes[shape] as (typeof shapes)[string];
  const plan = planned(form);
  const timed = {
    ...good,
    timings: complete({ toolCallId: 'find', toolName: 'find', promptIndex: 0, ms: 1 }),
  };
  const second = { promptIndex: 1, prompt: 'And now?', finalText: 'In Kiel.' };
  const turns = plan.turns.length > 1 ? [...good.turns, second] : good.turns;
  const calls = plan.isNegative ? [] : [call('find'), call('find', {}, { promptIndex: 1, toolCallId: 'f2' })];
  const results = complete(result('find'), result('find', { promptIndex: 1, toolCallId: 'f2' }));
  const base = plan.isNegative
    ? quiet
    : plan.turns.length > 1
      ? { ...timed, toolCalls: calls, toolResults: results }
      : timed;
  const happened = { ...base, turns };
  const steps = form.steps.map((step): TrialOutcome['steps'][number] => {
    const head = { stepId: step.id, kind: step.kind, status: 'ok' as const };
    if (step.kind !== 'assert') return head;
    const promptIndex = plan.turns.length - 1;
    return { ...head, row: evaluateCheck(step.assertion, happened, { kind: 'turn', promptIndex }) };
  });
  expect(gradeTrial(plan, { status: 'completed', steps, evidence: happened })).toMatchObject({
    result: 'passed',
  });
});

test.each<[string, Step[], TrialOutcome['steps'], Partial<TrialOutcome>]>([
  ['its model failed', [ask], [], { modelFailure: { message: 'overloaded' } }],
  [
    'its servers could not be set up',
    [ask],
    [],
    { setupFailure: { phase: 'connection', attributed: 'server' } },
  ],
  ['the model stopped early', [ask], [], { finishReason: 'length' }],
  ['a prompt failed', [ask], [{ stepId: 'ask', kind: 'prompt', status: 'fail' }], {}],
  [
    'a pinned call failed without an error',
    [pinned],
    [{ stepId: 'pin', kind: 'toolCall', status: 'fail' }],
    {},
  ],
  ['a step was left out', [ask, again], [{ stepId: 'again', kind: 'prompt', status: 'skipped' }], {}],
  ['a step never ended', [ask, again], [{ stepId: 'again', kind: 'prompt', status: 'pending' }], {}],
  [
    'an assertion failed without a reason',
    [ask, asserting('a', met[0] as Check)],
    [{ stepId: 'a', kind: 'assert', status: 'fail' }],
    {},
  ],
  ['an assertion was left out', [ask, asserting('a', met[0] as Check)], [], {}],
])('a trial cannot be completed when %s', (_title, steps, recorded, over) => {
  const plan = planned({ steps });
  const grade = gradeTrial(plan, { status: 'completed', evidence: good, steps: recorded, ...over });
  expect(grade).toMatchObject({ result: 'failed', evaluatorError: true });
  expect(grade.evaluatorErrors.join()).not.toBe('');
});

test('what stands behind an assertion that failed does not apply, and the trial is judged as failed', () => {
  const steps = [
    ask,
    asserting('a', { type: 'responseContains', needle: 'Bonn' }),
    again,
    asserting('b', met[0] as Check),
  ];
  const row = evaluateCheck({ type: 'responseContains', needle: 'Bonn' }, good, {
    kind: 'turn',
    promptIndex: 0,
  });
  const grade = gradeTrial(planned({ steps }), {
    status: 'completed',
    evidence: good,
    steps: [
      { stepId: 'ask', kind: 'prompt', status: 'ok' },
      { stepId: 'a', kind: 'assert', status: 'fail', reason: row.reason, row },
      { stepId: 'again', kind: 'prompt', status: 'skipped' },
      { stepId: 'b', kind: 'assert', status: 'skipped' },
    ],
  });
  expect(grade).toMatchObject({ result: 'failed', evaluatorError: false, firstFailedStage: 'userValue' });
  expect(grade.scores.map(({ status }) => status)).toContain('not_applicable');
});

test.each([true, false])(
  'a pinned call that the server refused fails the trial (failOnToolError %s)',
  (failOnToolError) => {
    const plan = planned({ steps: [pinned, ask], over: { failOnToolError } });
    const grade = gradeTrial(plan, {
      status: 'completed',
      evidence: {
        ...good,
        toolErrors: [toolError('find', 'Unknown tool', { kind: 'protocol', code: -32602 })],
      },
      steps: [
        { stepId: 'pin', kind: 'toolCall', status: 'fail', reason: 'Unknown tool' },
        { stepId: 'ask', kind: 'prompt', status: 'skipped' },
      ],
    });
    expect(grade).toMatchObject({ result: 'failed', evaluatorError: false, firstFailedStage: 'call' });
  },
);

test('a trial that once passed although its turn was cut off cannot be graded again', () => {
  const plan = planned({ steps: [ask] });
  const messages = [
    { role: 'user', content: 'Where is the ship?' },
    { role: 'assistant', content: [{ type: 'text', text: 'In Kiel.' }] },
  ];
  const prompts = [{ promptIndex: 0, prompt: 'Where is the ship?', actualToolCalls: [] }];
  const trial = {
    status: 'completed',
    result: 'passed' as const,
    evaluatorError: false,
    trace: { messages, prompts, frames: [] },
    usage: undefined,
    rows: [],
    scores: [],
  };
  expect(backtestTrial(plan, plan, { ...trial, steps: [] })).toMatchObject({ outcome: 'same' });
  expect(backtestTrial(plan, plan, { ...trial, steps: cutOff([ask]) })).toMatchObject({
    outcome: 'ungradable',
  });
});
