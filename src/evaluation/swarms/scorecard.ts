import { wilson } from '../statistics/wilson.ts';
import { type Criterion, isExecuted, isUnderWay, type SessionFacts } from './facts.ts';

interface ScorecardCriterion {
  id: string;
  label: string | null;
  kind: string;
  passCount: number;
  failCount: number;
  pendingCount: number;
  /** Sessions for which the criterion could not be evaluated. They do not count as failed. */
  failedGradingCount: number;
  /** The 95% confidence interval of the pass rate; null if never measured. */
  interval: { low: number; high: number } | null;
}

export interface RunScorecard {
  runId: string;
  criteria: ScorecardCriterion[];
  sessionsTotal: number;
  /** The denominator of rates. */
  sessionsGraded: number;
}

/** Results per criterion. Rate-limited and withdrawn sessions are not graded and count in the total only. */
export function scorecard(
  runId: string,
  rubric: readonly Criterion[],
  sessions: readonly SessionFacts[],
): RunScorecard {
  const gradable = sessions.filter((session) => isUnderWay(session) || isExecuted(session));
  return {
    runId,
    criteria: countCriteria(rubric, gradable),
    sessionsTotal: sessions.length,
    sessionsGraded: gradable.filter(
      (session) => !isUnderWay(session) && session.criteria?.status === 'completed',
    ).length,
  };
}

/** The result of a criterion for a session. `unavailable`: it could not be evaluated. */
type CriterionState = 'passed' | 'failed' | 'pending' | 'unavailable';

/**
 * Counts the results of each criterion. Reads each session once, because there may be thousands with 25 criteria each.
 */
export function criterionStates(
  rubric: readonly Criterion[],
  sessions: readonly SessionFacts[],
): Map<string, Record<CriterionState, number>> {
  const isPending = (session: SessionFacts): boolean =>
    isUnderWay(session) || session.criteria?.status === 'pending';
  const pending = sessions.filter(isPending).length;
  const states = new Map(
    rubric.map(({ criterionId }) => [
      criterionId,
      { passed: 0, failed: 0, pending, unavailable: sessions.length - pending },
    ]),
  );
  for (const session of sessions) {
    if (isPending(session) || session.criteria?.status !== 'completed') continue;
    for (const { criterionId, status, passed } of session.criteria.results) {
      const counts = states.get(criterionId);
      if (!counts || status !== 'scored') continue;
      counts[passed ? 'passed' : 'failed']++;
      counts.unavailable--;
    }
  }
  return states;
}

function countCriteria(
  rubric: readonly Criterion[],
  sessions: readonly SessionFacts[],
): ScorecardCriterion[] {
  const states = criterionStates(rubric, sessions);
  return rubric.map(({ criterionId: id, label, kind }) => {
    const { passed, failed, pending, unavailable } = states.get(id) as Record<CriterionState, number>;
    const interval = wilson(passed, passed + failed);
    return {
      id,
      label,
      kind,
      passCount: passed,
      failCount: failed,
      pendingCount: pending,
      failedGradingCount: unavailable,
      interval: interval ? { low: interval.lower, high: interval.upper } : null,
    };
  });
}
