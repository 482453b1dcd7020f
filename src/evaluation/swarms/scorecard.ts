import { wilson } from '../statistics/wilson.ts';
import { type Criterion, isExecuted, isUnderWay, type SessionFacts } from './facts.ts';

interface ScorecardCriterion {
  id: string;
  label: string | null;
  kind: string;
  passCount: number;
  failCount: number;
  pendingCount: number;
  /** Of sessions that could not be graded by it; they did not fail it. */
  failedGradingCount: number;
  /** What its true pass rate may be, at 95 %; null where it was never measured. */
  interval: { low: number; high: number } | null;
}

export interface RunScorecard {
  runId: string;
  criteria: ScorecardCriterion[];
  sessionsTotal: number;
  /** What rates are to be divided by. */
  sessionsGraded: number;
}

/** How sessions did by each criterion. Those that were limited or withdrawn are not graded and count nowhere but in the total. */
export function scorecard(
  runId: string,
  rubric: readonly Criterion[],
  sessions: readonly SessionFacts[],
): RunScorecard {
  const gradable = sessions.filter((session) => isUnderWay(session) || isExecuted(session));
  return {
    runId,
    criteria: rubric.map((criterion) => countCriterion(criterion, gradable)),
    sessionsTotal: sessions.length,
    sessionsGraded: gradable.filter(
      (session) => !isUnderWay(session) && session.criteria?.status === 'completed',
    ).length,
  };
}

/** What a criterion says of a session. `unavailable`: it could not be asked, or gave no answer. */
export type CriterionState = 'passed' | 'failed' | 'pending' | 'unavailable';

export function criterionState(criterionId: string, session: SessionFacts): CriterionState {
  const { criteria } = session;
  if (isUnderWay(session) || criteria?.status === 'pending') return 'pending';
  const row = criteria?.results.find((result) => result.criterionId === criterionId);
  if (criteria?.status !== 'completed' || row?.status !== 'scored') return 'unavailable';
  return row.passed ? 'passed' : 'failed';
}

function countCriterion(
  { criterionId, label, kind }: Criterion,
  sessions: readonly SessionFacts[],
): ScorecardCriterion {
  const states = sessions.map((session) => criterionState(criterionId, session));
  const count = (wanted: CriterionState): number => states.filter((state) => state === wanted).length;
  const [passCount, failCount] = [count('passed'), count('failed')];
  const interval = wilson(passCount, passCount + failCount);
  return {
    id: criterionId,
    label,
    kind,
    passCount,
    failCount,
    pendingCount: count('pending'),
    failedGradingCount: count('unavailable'),
    interval: interval ? { low: interval.lower, high: interval.upper } : null,
  };
}
