import {
  type JourneyRunVerdictSummary,
  type SwarmReport,
  scorecard,
  swarmReport,
} from '../../../evaluation/index.ts';
import type { JourneyRunRow } from '../../../platform/database/queries/journey-runs.ts';
import type { SessionRow } from '../../../platform/database/queries/journey-sessions.ts';
import { criteriaOf, factsOfRun } from './session-facts.ts';
import type { StoredJudge } from './stored.ts';

/**
 * How often each criterion and the goal were met in a run, and its report. Stored with the run once it is graded, so
 * that reading a run does not read the grades of thousands of sessions.
 */
export interface RunTally {
  /** Missing in runs that an earlier version graded. */
  report?: SwarmReport;
  scorecard: ReturnType<typeof scorecard> | null;
  /** Null without a judge. */
  completion: {
    gradedCount: number;
    passedCount: number;
    avgScore: number | null;
    pendingCount: number;
    failedCount: number;
  } | null;
}

export function tallyOf(
  run: JourneyRunRow,
  rows: readonly SessionRow[],
  verdict?: JourneyRunVerdictSummary,
): RunTally {
  const facts = factsOfRun(run, rows);
  return {
    ...(verdict && { report: swarmReport(facts, verdict) }),
    scorecard: run.rubric === null ? null : scorecard(run.id, criteriaOf(run), facts.sessions),
    completion: run.judged ? completionOf(rows) : null,
  };
}

function completionOf(rows: readonly SessionRow[]): NonNullable<RunTally['completion']> {
  const judged = rows.flatMap(({ judge }) => (judge === null ? [] : [judge as StoredJudge]));
  const scores = judged.flatMap(({ status, score }) =>
    status === 'scored' && score !== undefined ? [score] : [],
  );
  const count = (status: StoredJudge['status']): number =>
    judged.filter((one) => one.status === status).length;
  return {
    gradedCount: scores.length,
    passedCount: judged.filter(({ passed }) => passed).length,
    avgScore: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    pendingCount: count('pending'),
    failedCount: count('error'),
  };
}
