import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerExamples } from '../../../test/support/checks/answers.ts';
import { callExamples, failureExamples } from '../../../test/support/checks/calls.ts';
import { declarationExamples } from '../../../test/support/checks/declarations.ts';
import type { CheckExample } from '../../../test/support/checks/example.ts';
import { resultExamples } from '../../../test/support/checks/results.ts';
import { widgetExamples } from '../../../test/support/checks/widgets.ts';
import { type CheckRow, evaluateCheck } from './evaluate.ts';
import { checkKinds } from './index.ts';

const all: CheckExample[] = [
  ...callExamples,
  ...failureExamples,
  ...resultExamples,
  ...answerExamples,
  ...widgetExamples,
  ...declarationExamples,
];

/** Kinds whose evidence is always recorded. */
const alwaysKnown = [
  'toolCalledWith',
  'toolCalledAtLeastOnce',
  'toolNeverCalled',
  'firstToolWas',
  'onlyToolsCalled',
  'toolCalledBefore',
  'toolCallCountUnder',
  'noRepeatedIdenticalCall',
  'noToolErrors',
  'responseContains',
  'finalAssistantMessageNonEmpty',
  'noEndingQuestion',
  'tokenBudgetUnder',
  'turnCountUnder',
];

test.each(Object.entries(checkKinds))('%s finds what is in its examples', (type, kind) => {
  const examples = all.filter(({ check }) => check.type === type);
  for (const [at, example] of examples.entries()) {
    const row = evaluateCheck(example.check, example.evidence);
    expect(outcomeOf(row), `example ${at}: ${row.reason}`).toBe(example.outcome);
    expect(row.passed).toBe(example.outcome === 'passed');
    expect(row.reason).toContain(example.says ?? '');
    expect(row.reason.length).toBeLessThanOrEqual(600);
  }
  const wanted = alwaysKnown.includes(type) ? ['failed', 'passed'] : ['error', 'failed', 'passed'];
  expect([...new Set(examples.map(({ outcome }) => outcome))].sort()).toEqual(wanted);
  expect(kind.type).toBe(type);
});

test('no check throws, whatever happened', () => {
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.constantFrom(...all), ({ check }, { evidence }) => {
      const { passed, reason, status } = evaluateCheck(check, evidence);
      expect(reason).not.toBe('');
      expect(passed && status === 'error').toBe(false);
    }),
    { numRuns: 1000 },
  );
});

function outcomeOf({ passed, status }: CheckRow): CheckExample['outcome'] {
  return status ?? (passed ? 'passed' : 'failed');
}
