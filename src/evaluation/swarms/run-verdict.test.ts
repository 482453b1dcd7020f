import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleCriteria, exampleRubric, exampleSession } from './example-session.ts';
import type { SessionFacts } from './facts.ts';
import { swarmReport } from './run-report.ts';
import { type JourneyRunFacts, journeyRunVerdict } from './run-verdict.ts';
import { scorecard } from './scorecard.ts';

/** Outcomes of sessions by letter. */
const ends: Readonly<Record<string, Partial<SessionFacts>>> = {
  p: { criteria: exampleCriteria('pp') },
  f: { criteria: exampleCriteria('fp') },
  e: { criteria: exampleCriteria('ep') },
  crashed: { criteria: exampleCriteria('fp', 'failed') },
  graded: { criteria: exampleCriteria('', 'pending') },
  waits: { status: 'pending', turns: 0 },
  runs: { status: 'running', criteria: exampleCriteria('', 'pending') },
  broke: { status: 'failed', errorCode: 'session_failed', criteria: exampleCriteria('fp') },
  gone: { status: 'failed', errorCode: 'runner_shutdown', turns: 0, criteria: exampleCriteria('', 'failed') },
  limited: { status: 'rate_limited', turns: 0, criteria: exampleCriteria('', 'pending') },
  canceled: {
    status: 'failed',
    errorCode: 'canceled',
    turns: 1,
    criteria: exampleCriteria('', 'pending'),
  },
};

const other = { kind: 'environment', id: 'env_2', label: 'Other', modelId: null } as const;

function runOf(words: readonly string[], elsewhere: readonly string[] = []): JourneyRunFacts {
  const sessions = [...words, ...elsewhere].map((word, at) =>
    exampleSession({
      sessionId: `ses_${at}`,
      ...(at >= words.length && { target: other }),
      ...ends[word],
    }),
  );
  return { runId: 'run_1', rubric: exampleRubric, sessions };
}

test.each<[string[], string[], string, string[]]>([
  [['p', 'p'], ['p'], 'passed', ['allMeasuredCasesMetThreshold']],
  [['p', 'f'], ['p'], 'failed', ['casePassRateBelowThreshold']],
  [['p', 'limited'], ['p'], 'inconclusive', ['configuredTrialsNotAttempted']],
  [['p', 'canceled'], ['p'], 'inconclusive', ['configuredTrialsNotAttempted']],
  [['p', 'p', 'p', 'p'], ['broke'], 'inconclusive', ['caseHasNoEligibleTrials']],
  [['p', 'p', 'p', 'p', 'broke'], [], 'passed', ['allMeasuredCasesMetThreshold']],
  [['p', 'e'], ['p'], 'inconclusive', ['evaluatorErrorRateAboveMaximum']],
])('sessions %o and elsewhere %o: %s', (here, elsewhere, verdict, reasons) => {
  const run = runOf(here, elsewhere);
  const summary = journeyRunVerdict(run, 7);
  expect(summary).toMatchObject({ status: 'decided', decision: { verdict, reasons }, updatedAt: 7 });
  expect(swarmReport(run, summary)).toMatchObject({
    verdict,
    verdictSource: 'policyV2',
    decision: { verdict },
  });
});

test('each target is a case with its model, held against the threshold that is given', () => {
  const run = { ...runOf(['p', 'f'], ['p']), passThreshold: 0.5 };
  expect(journeyRunVerdict(run, 0)).toMatchObject({
    decision: {
      verdict: 'passed',
      cases: [
        {
          caseId: 'env_1',
          executionVariant: { model: 'm' },
          configuredTrials: 2,
          effectivePassThreshold: 0.5,
        },
        { caseId: 'env_2', configuredTrials: 1 },
      ],
    },
  });
});

test.each<[string, JourneyRunFacts, object, string]>([
  [
    'runs',
    runOf(['p', 'runs', 'waits', 'graded']),
    { status: 'pending', pendingSessions: 3 },
    'executionPending',
  ],
  ['is graded', runOf(['f', 'graded']), { status: 'pending', pendingSessions: 1 }, 'gradingPending'],
  [
    'has no grader that decides',
    { ...runOf(['runs']), rubric: exampleRubric.slice(1) },
    { status: 'notEstablished', reason: 'gradingNotConfigured' },
    'gradingNotConfigured',
  ],
  ['has no sessions', runOf([]), { status: 'integrityFailed' }, 'integrityFailed'],
  [
    'has a session of another run',
    { ...runOf(['p']), runId: 'run_2' },
    { status: 'integrityFailed', reason: 'A session belongs to another run' },
    'integrityFailed',
  ],
  [
    'has a session twice',
    { ...runOf(['p']), sessions: [...runOf(['p']).sessions, ...runOf(['p']).sessions] },
    { status: 'integrityFailed', reason: 'A session is there twice' },
    'integrityFailed',
  ],
  ['has too many', runOf(Array(101).fill('p')), { status: 'integrityFailed' }, 'integrityFailed'],
])('a run that %s has no verdict, and the report says why', (_, run, expected, undecidedReason) => {
  const summary = journeyRunVerdict(run, 0);
  expect(summary).toMatchObject(expected);
  const report = swarmReport(run, summary);
  expect(report).toMatchObject({ verdict: 'notEstablished', verdictSource: 'none', undecidedReason });
  expect(report).not.toHaveProperty('decision');
});

test('a report counts what was started, judged and observed', () => {
  const run = runOf(['p', 'f', 'crashed', 'runs', 'waits', 'broke', 'gone', 'limited', 'canceled']);
  const sessions = run.sessions.map((session, at) => ({
    ...session,
    judge: at === 0 ? { status: 'scored' as const, passed: true } : { status: 'pending' as const },
  }));
  const report = swarmReport({ ...run, sessions }, journeyRunVerdict({ ...run, sessions }, 0));
  expect(report.execution).toEqual({
    unit: 'sessions',
    configured: 9,
    reported: 7,
    started: 6,
    notStarted: 2,
    unknown: 1,
    completed: 3,
    interrupted: 2,
    neverLaunched: false,
  });
  expect(report.goalGrading).toMatchObject({ passed: 1, failed: 0, pending: 6, notRequested: 2 });
  expect(report.goalGrading.waitingForDecisiveGrading).toBe(1);
  expect(report.observations).toMatchObject([
    { evaluatorId: 'found', stage: 'selection', total: 7, passed: 1, failed: 2, pending: 2, unavailable: 2 },
    { evaluatorId: 'clean', stage: 'response', role: 'advisory', total: 7, passed: 3 },
  ]);
  const executed = (words: string[]) => {
    const stopped = runOf(words);
    return swarmReport(stopped, journeyRunVerdict(stopped, 0)).execution;
  };
  expect(executed(['limited', 'limited'])).toMatchObject({ neverLaunched: true, notStarted: 2 });
  expect(executed(['limited', 'gone'])).toMatchObject({ neverLaunched: false, unknown: 1 });
});

test('a scorecard tells failing from not being graded', () => {
  const { sessions } = runOf([
    'p',
    'f',
    'f',
    'e',
    'crashed',
    'graded',
    'waits',
    'broke',
    'limited',
    'canceled',
  ]);
  const card = scorecard('run_1', exampleRubric, sessions);
  expect(card).toMatchObject({ runId: 'run_1', sessionsTotal: 10, sessionsGraded: 5 });
  expect(card.criteria).toMatchObject([
    { id: 'found', passCount: 1, failCount: 3, pendingCount: 2, failedGradingCount: 2 },
    { id: 'clean', label: null, passCount: 5, failCount: 0, pendingCount: 2, failedGradingCount: 1 },
  ]);
  expect(card.criteria[0]?.interval?.low).toBeCloseTo(0.0456, 3);
  expect(card.criteria[0]?.interval?.high).toBeCloseTo(0.6994, 3);
  expect(scorecard('run_1', exampleRubric, []).criteria[0]).toMatchObject({ passCount: 0, interval: null });
});

test('every session is counted once, whatever came of it', () => {
  const words = fc.array(fc.constantFrom(...Object.keys(ends)), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(words, words, (here, elsewhere) => {
      const run = runOf(here, elsewhere);
      const { sessions } = run;
      const ungraded = [...here, ...elsewhere].filter((word) => word === 'limited' || word === 'canceled');
      const { execution, goalGrading } = swarmReport(run, journeyRunVerdict(run, 0));
      expect(execution.started + execution.notStarted + execution.unknown).toBe(sessions.length);
      const { passed, failed, pending, unavailable, notRequested } = goalGrading;
      expect(passed + failed + pending + unavailable + notRequested).toBe(sessions.length);
      for (const counted of scorecard('run_1', exampleRubric, sessions).criteria)
        expect(
          counted.passCount + counted.failCount + counted.pendingCount + counted.failedGradingCount,
        ).toBe(sessions.length - ungraded.length);
    }),
  );
});
