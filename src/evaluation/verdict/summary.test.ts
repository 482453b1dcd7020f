import { expect, test } from 'vitest';
import type { StageResult } from '../stage.ts';
import { actionFor } from '../stages/next-action.ts';
import { decide, resolvePolicy } from './policy.ts';
import { decisionDiagnostics, type RunToSummarize, runVerdict, type TrialToExplain } from './summary.ts';

const decision = decide(
  resolvePolicy(),
  [
    { caseId: 'a', configuredTrials: 1, passThreshold: 1 },
    { caseId: 'b', configuredTrials: 1, passThreshold: 1 },
  ],
  [
    { caseId: 'a', status: 'completed', result: 'passed', evaluatorError: false },
    { caseId: 'b', status: 'completed', result: 'failed', evaluatorError: false },
  ],
);
const v2 = { status: 'completed', isPolicyV2: true, decision };
const legacy = { status: 'completed', isPolicyV2: false, result: 'passed' };
const none = { verdict: 'notEstablished', verdictSource: 'none' };

test.each<[string, RunToSummarize, object]>([
  ['running', { ...v2, status: 'running' }, { ...none, undecided: { reason: 'runNotTerminal' } }],
  ['grading', { ...legacy, status: 'grading' }, { ...none, undecided: { reason: 'runNotTerminal' } }],
  [
    'decided case by case',
    v2,
    {
      verdict: 'failed',
      verdictSource: 'policyV2',
      counts: { measurementUnit: 'caseVariant', total: 2, passed: 1, failed: 1, inconclusive: 0 },
      decision,
    },
  ],
  [
    'decided case by case, and the decision is lost',
    { ...v2, decision: undefined, result: 'passed' },
    { ...none, undecided: { reason: 'verdictSummaryUnavailable' } },
  ],
  [
    'decided case by case, and the decision is broken',
    { ...v2, integrityError: 'sums differ' },
    { ...none, undecided: { reason: 'verdictSummaryUnavailable', detail: 'sums differ' } },
  ],
  [
    'stopped',
    { ...legacy, status: 'timed_out' },
    { ...none, undecided: { reason: 'runStatusNotAVerdict', detail: 'timed_out' } },
  ],
  ['odd', { ...legacy, result: 'glorious' }, { ...none, undecided: { reason: 'runResultNotAVerdict' } }],
  [
    'decided by its threshold',
    { ...legacy, summary: { total: 3, passed: 3 } },
    { verdict: 'passed', verdictSource: 'legacy', counts: { measurementUnit: 'trial', total: 3, passed: 3 } },
  ],
])('a run that is %s', (_title, run, verdict) => {
  expect(runVerdict(run)).toEqual(verdict);
});

const stageResults: StageResult[] = [
  { stage: 'connection', state: 'passed', reason: 'observed' },
  { stage: 'discovery', state: 'passed', reason: 'observed', evidence: { spanIds: ['other'] } },
  {
    stage: 'selection',
    state: 'failed',
    reason: 'missingToolCall',
    evidence: { promptIndexes: [1], predicateReasons: ['find was never called'] },
  },
  { stage: 'call', state: 'notReached', reason: 'earlierStageFailed' },
  { stage: 'response', state: 'notReached', reason: 'earlierStageFailed' },
  { stage: 'userValue', state: 'notReached', reason: 'earlierStageFailed' },
];
const failed: TrialToExplain = {
  iterationId: 'i1',
  iterationNumber: 1,
  testCaseId: 'tc',
  title: 'Finds the ship',
  status: 'completed',
  result: 'failed',
  stageResults,
  firstFailedStage: 'selection',
  failureCategory: 'selection',
  stageAnalyzerVersion: 12,
  expectedToolCalls: [{ toolName: 'find' }, { toolName: 'find' }],
  actualToolCalls: [{ toolName: 'list' }],
  error: 'refused: token=abc',
};
const passed: TrialToExplain = {
  iterationId: 'i2',
  iterationNumber: 2,
  status: 'completed',
  result: 'passed',
};
const stopped: TrialToExplain = {
  iterationId: 'i3',
  iterationNumber: 3,
  status: 'setup_failed',
  result: null,
};
const place = { projectId: 'p', runId: 'r' };

test('every trial that did not pass is explained, from its first failed stage alone', () => {
  const { items, scannedIterations } = decisionDiagnostics(place, [failed, passed, stopped], {
    cameWithCursor: false,
    nextCursor: undefined,
  });
  expect(scannedIterations).toBe(3);
  expect(items).toEqual([
    {
      iterationId: 'i1',
      iterationNumber: 1,
      testCaseId: 'tc',
      title: 'Finds the ship',
      status: 'completed',
      result: 'failed',
      chain: {
        status: 'verified',
        stages: stageResults,
        firstFailedStage: 'selection',
        failureCategory: 'selection',
        analyzerVersion: 12,
      },
      expected: { toolNames: ['find'] },
      observed: { toolNames: ['list'], failure: 'refused: token=«redacted»' },
      evidence: {
        runId: 'r',
        iterationId: 'i1',
        stage: 'selection',
        promptIndexes: [1],
        reasons: ['find was never called'],
        tracePath: '/projects/p/eval-runs/r/iterations/i1/trace',
      },
      nextAction: expect.stringContaining('tools'),
    },
    {
      iterationId: 'i3',
      iterationNumber: 3,
      status: 'setup_failed',
      chain: { status: 'absent' },
      evidence: { runId: 'r', iterationId: 'i3', tracePath: '/projects/p/eval-runs/r/iterations/i3/trace' },
      nextAction: expect.stringContaining('trace'),
    },
  ]);
});

test.each([
  ['serverData', 'predicateFailed', 'change the server or the check'],
  ['serverData', 'toolError', 'make its error message say what to change'],
  ['selection', 'unexpectedToolCall', 'The case expects no tool call'],
  ['selection', 'missingToolCall', 'make their descriptions more distinct'],
] as const)('a failure of %s by %s has a remedy of its own', (category, reason, remedy) => {
  expect(actionFor(category, reason, { expectsNoCall: true })).toContain(remedy);
});

test.each([
  [false, undefined, true],
  [false, 'next', false],
  [true, undefined, false],
  [true, 'next', false],
])('came with a cursor: %j, goes on at %j: complete is %j', (cameWithCursor, nextCursor, complete) => {
  const page = decisionDiagnostics(place, [passed], { cameWithCursor, nextCursor });
  expect(page).toEqual({ items: [], complete, scannedIterations: 1, ...(nextCursor && { nextCursor }) });
});
