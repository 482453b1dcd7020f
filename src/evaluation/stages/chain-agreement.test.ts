import fc from 'fast-check';
import { expect, test } from 'vitest';
import { absent, call, complete, evidence, result, tool, toolError } from '../../../test/support/evidence.ts';
import { defaultMatchOptions } from '../matching/options.ts';
import type { TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';
import { hashed } from '../scores/definition.ts';
import { gate, isIntact } from '../scores/gate.ts';
import { stages } from '../stage.ts';
import { gradeTrial } from '../trial.ts';
import { verifyChain } from './verify.ts';

const expected = [{ toolName: 'find', arguments: { city: 'Kiel' } }];
const anyCheck = fc.constantFrom<object>(
  { type: 'toolDescriptionsPresent' },
  { type: 'toolCalledAtLeastOnce', toolName: 'find' },
  { type: 'toolNeverCalled', toolName: 'find' },
  { type: 'argumentsMatchToolSchema' },
  { type: 'toolLatencyUnder', ms: 5 },
  { type: 'toolResultContains', needle: 'ship', role: 'advisory' },
  { type: 'noToolErrors' },
  { type: 'responseContains', needle: 'Kiel' },
  { type: 'widgetRendered' },
  { type: 'unheard' },
);
const anyCall = fc
  .tuple(fc.constantFrom('find', 'x'), fc.constantFrom('Kiel', 'Bonn'), fc.nat(1))
  .map(([name, city, promptIndex]) => call(name, { city }, { promptIndex }));
const anyEvidence = fc.record({
  toolCalls: fc.array(anyCall, { maxLength: 4 }),
  toolErrors: fc.array(
    fc.constantFrom(toolError('find', 'x'), toolError('find', 'x', { kind: 'protocol', code: -32000 })),
    { maxLength: 1 },
  ),
  finalText: fc.constantFrom('', 'In Kiel.'),
  toolResults: fc.constantFrom(complete(result('find')), complete(), absent),
  declarations: fc.constantFrom(complete(tool('find')), absent),
  inventory: fc.constantFrom(complete(tool('find')), absent),
  browserAvailable: fc.boolean(),
});
const anyPlan = fc.record<TrialPlan>({
  turns: fc.array(
    fc.record<TrialPlan['turns'][number]>({
      promptIndex: fc.nat(1),
      kind: fc.constantFrom('prompt', 'toolCall'),
      expected: fc.constantFrom([], expected),
      checks: fc.array(anyCheck, { maxLength: 1 }),
    }),
    { maxLength: 2 },
  ),
  steps: fc.constantFrom(
    [],
    [{ stepId: 'a', kind: 'assert' as const, promptIndex: 0, check: { type: 'noToolErrors' as const } }],
    [{ stepId: 'a', kind: 'interact' as const, promptIndex: 0, check: undefined }],
  ),
  isNegative: fc.boolean(),
  match: fc.constantFrom(defaultMatchOptions, { ...defaultMatchOptions, extra: 0 }),
  checks: fc.array(anyCheck, { maxLength: 4 }),
  failOnToolError: fc.boolean(),
});
const anyOutcome = fc
  .record({
    status: fc.constantFrom<TrialOutcome['status']>(
      'completed',
      'completed',
      'failed',
      'timed_out',
      'cancelled',
      'setup_failed',
    ),
    modelFailure: fc.constantFrom(undefined, { message: 'x' }),
    setupFailure: fc.constantFrom<TrialOutcome['setupFailure'][]>(
      undefined,
      { phase: 'connection', attributed: 'server' },
      { phase: 'discovery', attributed: 'ours' },
    ),
    steps: fc.constantFrom<TrialOutcome['steps'][]>(
      [],
      [{ stepId: 'a', status: 'ok' }],
      [{ stepId: 'a', status: 'fail', reason: 'no' }],
      [
        {
          stepId: 'a',
          status: 'ok',
          row: { predicate: { type: 'noToolErrors' }, passed: true, reason: 'ok' },
        },
      ],
    ),
  })
  .map(({ status, setupFailure, modelFailure, steps }) => ({
    status,
    steps,
    modelFailure: status === 'completed' ? undefined : modelFailure,
    setupFailure: status === 'setup_failed' ? setupFailure : undefined,
  }));

test('whatever happened, the chain has its six rows, nothing is said after a failure, and it agrees with the result', () => {
  fc.assert(
    fc.property(anyPlan, anyEvidence, anyOutcome, (planned, happened, ended) => {
      const grade = gradeTrial(planned, { ...ended, evidence: evidence(happened) });
      expect(grade.stageResults.map(({ stage }) => stage)).toEqual([...stages]);
      const failedAt = grade.stageResults.findIndex(({ state }) => state === 'failed');
      const later = failedAt === -1 ? [] : grade.stageResults.slice(failedAt + 1);
      expect(later.every(({ state }) => state === 'notReached')).toBe(true);
      expect(verifyChain(grade).status).toBe('verified');
      expect(isIntact(grade.evaluationConfig, grade.scores)).toBe(true);

      const { result: verdict, firstFailedStage, failureCategory, evaluatorError } = grade;
      const blamed = firstFailedStage !== undefined || failureCategory !== undefined;
      // The chain reports a failed call even if failed calls do not fail the trial.
      const allowed = planned.failOnToolError === false && happened.toolErrors.length > 0;
      expect(verdict === 'passed' && (evaluatorError || (blamed && !allowed))).toBe(false);
      expect(verdict === 'failed' && ended.status === 'completed' && !blamed).toBe(false);
      expect(ended.status === 'completed').toBe(
        verdict === 'passed' || (verdict === 'failed' && ended.status === 'completed'),
      );
      const passes = gate(grade.evaluationConfig.definitions.map(hashed), grade.scores).passed;
      const fails = ended.steps.some(({ status }) => status === 'fail');
      expect(ended.status === 'completed' && passes && !fails).toBe(verdict === 'passed');
    }),
    { numRuns: 500 },
  );
});
