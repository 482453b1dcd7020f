import { expect, test } from 'vitest';
import { call, complete, evidence, result, tool, toolError } from '../../test/support/evidence.ts';
import type { Step } from '../contract/eval-steps.ts';
import { evaluateCheck } from './checks/evaluate.ts';
import type { TrialEvidence } from './evidence.ts';
import { defaultMatchOptions } from './matching/options.ts';
import type { TrialOutcome } from './outcome.ts';
import { planSteps, renderedTool, type TrialPlan } from './plan.ts';
import { hashed } from './scores/definition.ts';
import { gate, isIntact } from './scores/gate.ts';
import { gradeTrial } from './trial.ts';

const prompt: Step = { id: 'p', kind: 'prompt', prompt: 'Where is the ship?' };
const expectKiel: Step = {
  id: 'a',
  kind: 'assert',
  assertion: { type: 'toolCalledWith', toolName: 'find', args: { args: { city: 'Kiel' } } },
};
const click: Step = { id: 'c', kind: 'interact', toolName: 'map', action: { kind: 'key', key: 'Enter' } };

function plan(steps: readonly Step[], over: Partial<TrialPlan> = {}): TrialPlan {
  return { ...planSteps(steps), isNegative: false, match: defaultMatchOptions, checks: [], ...over };
}

const find = call('find', { city: 'Kiel' }, { toolCallId: '1' });
const good: TrialEvidence = evidence({
  turns: [{ promptIndex: 0, prompt: 'Where is the ship?', finalText: 'In Kiel.' }],
  finalText: 'In Kiel.',
  toolCalls: [find],
  toolResults: complete(result('find', { toolCallId: '1' })),
  inventory: complete(tool('find')),
  declarations: complete(tool('find')),
});

function outcome(over: Partial<TrialOutcome> = {}): TrialOutcome {
  return { status: 'completed', evidence: good, steps: [], ...over };
}

/** Evaluates a check where its step is, like an executor. */
function asserted(step: Step, at: TrialEvidence): TrialOutcome['steps'][number] {
  const row = evaluateCheck(step.kind === 'assert' ? step.assertion : undefined, at, {
    kind: 'turn',
    promptIndex: 0,
  });
  return { stepId: step.id, status: row.passed ? 'ok' : 'fail', reason: row.reason, row };
}

test('the plan of a case: a gating toolCalledWith is also expected of the prompt before it', () => {
  const pinned: Step = { id: 't', kind: 'toolCall', serverName: 's', toolName: 'find', arguments: {} };
  const shown: Step = {
    id: 'b',
    kind: 'assert',
    assertion: { type: 'toolCalledWith', toolName: 'x', args: { args: {} }, role: 'advisory' },
  };
  const planned = planSteps([expectKiel, prompt, expectKiel, shown, pinned, expectKiel, click]);
  expect(planned.turns).toEqual([
    {
      promptIndex: 0,
      kind: 'prompt',
      prompt: 'Where is the ship?',
      expected: [{ toolName: 'find', arguments: { city: 'Kiel' }, argumentMatching: 'partial' }],
    },
    { promptIndex: 1, kind: 'toolCall', expected: [] },
  ]);
  expect(planned.steps.map(({ stepId, promptIndex, check }) => [stepId, promptIndex, check?.type])).toEqual([
    ['a', undefined, 'toolCalledWith'],
    ['a', 0, 'toolCalledWith'],
    ['b', 0, 'toolCalledWith'],
    ['a', 1, 'toolCalledWith'],
    ['c', 1, undefined],
  ]);
  expect(renderedTool([pinned])).toBe('find');
  expect(renderedTool([pinned, pinned])).toBeUndefined();
  expect(renderedTool([prompt])).toBeUndefined();
});

test('a good trial passes at every stage that can be measured', () => {
  const checks = [
    { type: 'responseContains', needle: 'kiel' },
    { type: 'noToolErrors', role: 'advisory' },
  ];
  const grade = gradeTrial(
    plan([prompt, expectKiel], { checks }),
    outcome({ steps: [asserted(expectKiel, good)] }),
  );
  expect(grade).toMatchObject({
    result: 'passed',
    evaluatorError: false,
    expectedToolCalls: [{ toolName: 'find', arguments: { city: 'Kiel' } }],
    actualToolCalls: [{ toolName: 'find', arguments: { city: 'Kiel' } }],
    stageAnalyzerVersion: 12,
  });
  expect(grade.turns).toEqual([
    {
      promptIndex: 0,
      prompt: 'Where is the ship?',
      expectedToolCalls: [{ toolName: 'find', arguments: { city: 'Kiel' } }],
      actualToolCalls: [{ toolName: 'find', arguments: { city: 'Kiel' } }],
      passed: true,
      missing: [],
      unexpected: [],
      argumentMismatches: [],
      predicateResults: [expect.objectContaining({ passed: true, scope: { kind: 'turn', promptIndex: 0 } })],
    },
  ]);
  expect(grade.stageResults.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'passed'));
  expect(grade).not.toHaveProperty('failureCategory');
  expect(grade.scores.map(({ scorerId, value }) => [scorerId.replace(/-.*/, ''), value])).toEqual([
    ['responseContains', 1],
    ['noToolErrors', 1],
    ['toolCalledWith', 1],
    ['toolCallMatch', 1],
    ['toolErrors', 1],
  ]);
  expect(isIntact(grade.evaluationConfig, grade.scores)).toBe(true);
});

test('the same plan has the same definitions in every trial, and another plan has others', () => {
  const checks = [{ type: 'responseContains', needle: 'kiel' }];
  const hash = (over: Partial<TrialPlan>): string =>
    gradeTrial(plan([prompt, expectKiel], { checks, ...over }), outcome()).evaluationConfig.hash;
  expect(hash({})).toBe(hash({}));
  const others = [
    { checks: [{ type: 'responseContains', needle: 'bonn' }] },
    { checks: [{ type: 'responseContains', needle: 'kiel', role: 'advisory' }] },
    { isNegative: true },
    { match: { ...defaultMatchOptions, extra: 0 } },
    { failOnToolError: false },
    { turns: [] },
  ];
  for (const over of others) expect(hash(over)).not.toBe(hash({}));
});

test.each<[string, Partial<TrialPlan>, Partial<TrialEvidence>, 'passed' | 'failed']>([
  ['a gating check fails', { checks: [{ type: 'responseContains', needle: 'Bonn' }] }, {}, 'failed'],
  [
    'an advisory check fails',
    { checks: [{ type: 'responseContains', needle: 'Bonn', role: 'advisory' }] },
    {},
    'passed',
  ],
  ['a malformed check decides', { checks: [{ type: 'unheard' }] }, {}, 'failed'],
  ['a malformed check is shown', { checks: [{ type: 'unheard', role: 'advisory' }] }, {}, 'passed'],
  ['a tool fails', {}, { toolErrors: [toolError('find', 'x', { toolCallId: '1' })] }, 'failed'],
  ['a tool may fail', { failOnToolError: false }, { toolErrors: [toolError('find', 'x')] }, 'passed'],
  ['a tool is called in a negative case', { isNegative: true }, {}, 'failed'],
  ['no tool is called in a negative case', { isNegative: true }, { toolCalls: [] }, 'passed'],
  ['too many calls', { match: { ...defaultMatchOptions, extra: 0 } }, {}, 'failed'],
])('%s', (_title, over, happened, expected) => {
  const trial = outcome({ evidence: { ...good, ...happened } });
  const grade = gradeTrial(plan([prompt], over), trial);
  expect(grade.result).toBe(expected);
  expect(gate(grade.evaluationConfig.definitions.map(hashed), grade.scores).passed).toBe(
    expected === 'passed',
  );
});

test('missing evidence of what decides is an error of the evaluator; of what is shown it is nothing', () => {
  const check = { type: 'toolLatencyUnder', ms: 5 };
  const decides = gradeTrial(plan([prompt], { checks: [check] }), outcome());
  expect(decides).toMatchObject({ result: 'failed', evaluatorError: true, failureCategory: 'evaluator' });
  expect(decides.evaluatorErrors[0]).toContain('toolLatencyUnder: Not all calls were timed');
  expect(decides).not.toHaveProperty('firstFailedStage');
  const shown = gradeTrial(plan([prompt], { checks: [{ ...check, role: 'advisory' }] }), outcome());
  expect(shown).toMatchObject({ result: 'passed', evaluatorError: false });
  expect(shown.scores[0]).toMatchObject({ status: 'error' });
});

test('what comes after a step that failed was not asked; what was left out is an error of the evaluator', () => {
  const steps = [prompt, expectKiel, click];
  const wrong = { ...good, toolCalls: [call('find', { city: 'Bonn' }, { toolCallId: '1' })] };
  const failing = asserted(expectKiel, wrong);
  const stopped = gradeTrial(plan(steps), outcome({ evidence: wrong, steps: [failing] }));
  expect(stopped).toMatchObject({ result: 'failed', evaluatorError: false, firstFailedStage: 'call' });
  expect(stopped.scores.at(-1)).toMatchObject({ scorerId: 'scriptedSteps', status: 'not_applicable' });
  const forgotten = gradeTrial(plan(steps), outcome({ steps: [asserted(expectKiel, good)] }));
  expect(forgotten).toMatchObject({ result: 'failed', evaluatorError: true, failureCategory: 'evaluator' });
});

test('a step on a widget that fails, fails the trial', () => {
  const grade = gradeTrial(
    plan([prompt, click]),
    outcome({ steps: [{ stepId: 'c', status: 'fail', reason: 'no such button' }] }),
  );
  expect(grade).toMatchObject({
    result: 'failed',
    firstFailedStage: 'userValue',
    failureCategory: 'userValue',
  });
  expect(grade.stageResults[5]?.evidence).toEqual({
    promptIndexes: [0],
    predicateReasons: ['no such button'],
  });
  const well = gradeTrial(plan([prompt, click]), outcome({ steps: [{ stepId: 'c', status: 'ok' }] }));
  expect(well).toMatchObject({ result: 'passed' });
});

test.each<[TrialOutcome['status'], 'failed' | null]>([
  ['failed', 'failed'],
  ['timed_out', 'failed'],
  ['cancelled', null],
  ['setup_failed', null],
])('a trial that is %s has the result %s, and no error of the evaluator', (status, expected) => {
  const grade = gradeTrial(plan([prompt, expectKiel]), outcome({ status, steps: [] }));
  expect(grade).toMatchObject({ result: expected, evaluatorError: false });
});
