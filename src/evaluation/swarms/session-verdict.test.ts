import { expect, test } from 'vitest';
import { verdictReasons } from '../../contract/journey-verdicts.ts';
import { exampleCriteria, exampleSession } from './example-session.ts';
import type { SessionFacts } from './facts.ts';
import { type SwarmSessionVerdict, sessionVerdict } from './session-verdict.ts';

const criteria = exampleCriteria;
const judged = (passed: boolean) => ({ status: 'scored' as const, score: passed ? 1 : 0, passed });
const waiting = { status: 'pending' as const };
const failed = { status: 'failed' as const, errorCode: 'session_failed' };

type Row = [
  reason: SwarmSessionVerdict['reason'],
  facts: Partial<SessionFacts>,
  lifecycle: SwarmSessionVerdict['lifecycle'],
  verdict: SwarmSessionVerdict['verdict'],
  source: SwarmSessionVerdict['verdictSource'],
  grading: SwarmSessionVerdict['grading']['state'],
  trial: SwarmSessionVerdict['trial'],
];

const passed = { status: 'completed', taskVerdict: 'passed' } as const;
const missed = { status: 'completed', taskVerdict: 'failed' } as const;
const unjudged = { status: 'completed', evaluatorError: true } as const;
const done = { status: 'completed' } as const;

// biome-ignore format: a table
const rows: Row[] = [
  ['attemptPending', { status: 'pending' }, 'pending', 'notEstablished', 'none', 'notRequested', { status: 'pending' }],
  ['attemptRunning', { status: 'running', judge: waiting }, 'running', 'notEstablished', 'none', 'queued', { status: 'running' }],
  ['withdrawn', { status: 'failed', errorCode: 'canceled', criteria: criteria('', 'pending'), judge: waiting }, 'withdrawn', 'notEstablished', 'none', 'notRequested', { status: 'cancelled' }],
  ['withdrawn', { status: 'rate_limited', errorCode: 'canceled' }, 'withdrawn', 'notEstablished', 'none', 'notRequested', { status: 'cancelled' }],
  ['notRun', { status: 'failed', errorCode: 'not_started' }, 'withdrawn', 'notEstablished', 'none', 'notRequested', null],
  ['notRun', { status: 'rate_limited', errorCode: 'rate_limited', criteria: criteria('', 'pending') }, 'limited', 'notEstablished', 'none', 'notRequested', null],
  ['spendCapReached', { status: 'rate_limited', errorCode: 'spend_cap_exceeded' }, 'limited', 'notEstablished', 'none', 'notRequested', null],
  ['executionFailed', { ...failed, criteria: criteria('pp'), judge: judged(true) }, 'broke', 'inconclusive', 'none', 'settled', { status: 'failed' }],
  ['executionFailed', { ...failed, turns: 0, criteria: criteria('', 'pending') }, 'broke', 'inconclusive', 'none', 'queued', { status: 'setup_failed' }],
  ['ungraded', {}, 'ran', 'notEstablished', 'none', 'notRequested', done],
  ['ungraded', { criteria: { status: 'completed', results: criteria('pf').results.slice(1) } }, 'ran', 'notEstablished', 'none', 'settled', done],
  ['gradingNotClaimed', { criteria: criteria('', 'pending'), judge: judged(true) }, 'ran', 'notEstablished', 'none', 'running', done],
  ['criteriaPending', { criteria: criteria('p', 'pending') }, 'ran', 'notEstablished', 'none', 'running', done],
  ['judgePending', { criteria: criteria('pp'), judge: waiting }, 'ran', 'notEstablished', 'none', 'running', done],
  ['judgePending', { criteria: criteria('', 'failed'), judge: waiting }, 'ran', 'notEstablished', 'none', 'queued', done],
  ['gatingCriterionFailed', { criteria: criteria('fp'), judge: waiting }, 'ran', 'failed', 'requiredAssertions', 'running', missed],
  ['gatingCriterionFailed', { criteria: criteria('fp'), judge: { status: 'errored' } }, 'ran', 'failed', 'requiredAssertions', 'unavailable', missed],
  ['judgeFailed', { criteria: criteria('', 'failed'), judge: judged(false) }, 'ran', 'failed', 'goalJudge', 'unavailable', missed],
  ['criteriaGradingErrored', { criteria: criteria('fp', 'failed'), judge: judged(true) }, 'ran', 'inconclusive', 'none', 'unavailable', unjudged],
  ['gatingCriterionUnmeasured', { criteria: criteria('ep'), judge: judged(true) }, 'ran', 'inconclusive', 'none', 'settled', unjudged],
  ['judgeErrored', { criteria: criteria('pp'), judge: { status: 'scored', score: 1 } }, 'ran', 'inconclusive', 'none', 'unavailable', unjudged],
  ['gradingUnavailable', { judge: { status: 'skipped' } }, 'ran', 'inconclusive', 'none', 'unavailable', unjudged],
  ['allGatingCriteriaPassed', { criteria: criteria('pf'), judge: { status: 'skipped' } }, 'ran', 'passed', 'requiredAssertions', 'settled', passed],
  ['judgePassed', { judge: judged(true) }, 'ran', 'passed', 'goalJudge', 'settled', passed],
  ['allGradersPassed', { criteria: criteria('pe'), judge: judged(true) }, 'ran', 'passed', 'combined', 'settled', passed],
];

test.each(rows)('%s: %o', (reason, facts, lifecycle, verdict, verdictSource, state, trial) => {
  const found = sessionVerdict(exampleSession(facts));
  expect(found).toMatchObject({ reason, lifecycle, verdict, verdictSource, grading: { state } });
  expect(found.trial).toEqual(trial);
});

test('every reason is in the table', () => {
  expect(new Set(rows.map(([reason]) => reason))).toEqual(new Set(verdictReasons));
});

test('criteria are counted by what they decide; what a crashed grading had found counts for nothing', () => {
  const counts = (letters: string, status?: 'failed') =>
    sessionVerdict(exampleSession({ criteria: criteria(letters, status) })).counts;
  const none = { gating: 1, gatingPassed: 0, gatingFailed: 0, gatingUnmeasured: 0, advisoryFailed: 0 };
  expect(counts('pf')).toEqual({ ...none, gatingPassed: 1, advisoryFailed: 1 });
  expect(counts('fe')).toEqual({ ...none, gatingFailed: 1 });
  expect(counts('ep')).toEqual({ ...none, gatingUnmeasured: 1 });
  expect(counts('ff', 'failed')).toEqual({ ...none, gatingUnmeasured: 1 });
});

test('a session that was called off or limited waits for no grader', () => {
  const begun = { criteria: criteria('p', 'pending'), judge: waiting };
  const ends = [{ status: 'failed', errorCode: 'canceled' }, { status: 'rate_limited' }] as const;
  for (const end of ends)
    expect(sessionVerdict(exampleSession({ ...begun, ...end }))).toMatchObject({
      grading: { state: 'notRequested' },
      graders: { criteria: 'notClaimed', judge: 'silent' },
    });
});

test('whatever is still to be heard, a verdict that was reached stays', () => {
  const ends: SessionFacts['criteria'][] = ['pp', 'fp', 'ep'].map((letters) => criteria(letters));
  const judges = [judged(true), judged(false), { status: 'errored' }, { status: 'skipped' }] as const;
  const pairs = [...ends, criteria('', 'failed')].flatMap((end) =>
    judges.map((judge) => [end, judge] as const),
  );
  const changes = pairs.flatMap(([end, judge]) => {
    const last = sessionVerdict(exampleSession({ criteria: end, judge })).verdict;
    const before = [
      sessionVerdict(exampleSession({ criteria: end, judge: waiting })),
      sessionVerdict(exampleSession({ criteria: criteria('', 'pending'), judge })),
    ];
    return before.filter(({ verdict }) => verdict !== 'notEstablished' && verdict !== last);
  });
  expect(pairs).toHaveLength(16);
  expect(changes).toEqual([]);
});
