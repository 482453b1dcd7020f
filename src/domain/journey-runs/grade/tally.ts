import { scorecard } from '../../../evaluation/index.ts';
import type { JourneyRunRow } from '../../../platform/database/queries/journey-runs.ts';
import type { SessionRow } from '../../../platform/database/queries/journey-sessions.ts';
import { criteriaOf, factsOfRun } from './session-facts.ts';
import type { StoredJudge } from './stored.ts';

/** How often each criterion and the goal were met in a run. Stored with the run once it is graded. */
export interface RunTally {
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

export function tallyOf(run: JourneyRunRow, rows: readonly SessionRow[]): RunTally {
  return {
    scorecard:
      run.rubric === null ? null : scorecard(run.id, criteriaOf(run), factsOfRun(run, rows).sessions),
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
