import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import type { JourneyRunVerdictSummary } from '../../../evaluation/index.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import type { Verb } from '../../context/verb.ts';
import { type RunTally, tallyOf } from '../grade/tally.ts';
import { summaryOf, targetsOf } from './present.ts';

type Overview = OutputOf<Operations['getSwarmOverview']>;
type OverviewRun = Overview['runs'][number];
type Finding = OverviewRun['findings'][number];
type Completion = NonNullable<OverviewRun['goalCompletion']>;

const maxRuns = 50;
const msPerDay = 86_400_000;

export const getSwarmOverview: Verb<'getSwarmOverview'> = async ({ db, project }) => {
  const latest = await db.rows(runs.listOfProject, { projectId: project.id, most: maxRuns });
  const read: (Read & { completion: Completion | null })[] = [];
  // Sequentially: each run may have thousands of sessions.
  for (const run of latest) {
    const tally =
      (run.tally as RunTally | null) ?? tallyOf(run, await db.rows(sessions.listOfRun, { runId: run.id }));
    read.push({ run, completion: tally.completion, findings: findingsIn(tally) });
  }
  const shown = read.map(({ run, completion, findings }, at) =>
    presentRun(run, completion, withStreaks(findings, run, read.slice(at + 1))),
  );
  return { runs: shown, runsConsidered: shown.length, goalCompletion: sumOf(shown) };
};

interface Read {
  run: runs.OverviewRunRow;
  findings: Omit<Finding, 'runStreak'>[];
}

function presentRun(
  run: runs.OverviewRunRow,
  goalCompletion: Completion | null,
  findings: Finding[],
): OverviewRun {
  const { id, journeyId, journeyName, journeyArchived, waveId, status, createdAt } = run;
  return {
    runId: id,
    journeyId,
    journeyName,
    journeyArchived,
    goalId: journeyId,
    goalName: journeyName,
    goalArchived: journeyArchived,
    personaName: (run.persona as { name: string }).name,
    status,
    waveId,
    swarmRunId: waveId,
    summary: summaryOf(run),
    verdict: verdictOf(run),
    goalCompletion,
    findings,
    targets: targetsOf(run).map(({ hostName, modelId, environmentName }) => ({
      hostName,
      modelId,
      ...(environmentName !== undefined && { environmentName }),
    })),
    createdAt,
  };
}

/** Criteria that at least one session did not meet, or for which one could not be graded. */
function findingsIn({ scorecard }: RunTally): Omit<Finding, 'runStreak'>[] {
  if (!scorecard) return [];
  return scorecard.criteria
    .filter(({ failCount, failedGradingCount }) => failCount + failedGradingCount > 0)
    .map(({ id, label, kind, failCount, pendingCount, failedGradingCount }) => ({
      criterionId: id,
      label,
      kind,
      failCount,
      pendingCount,
      failedGradingCount,
      sessionsGraded: scorecard.sessionsGraded,
    }));
}

/** Adds the number of consecutive runs with each finding, as far back as the overview goes. */
function withStreaks(
  findings: readonly Omit<Finding, 'runStreak'>[],
  { journeyId }: runs.OverviewRunRow,
  earlier: readonly Read[],
): Finding[] {
  const same = earlier.filter(({ run }) => run.journeyId === journeyId && run.status !== 'running');
  return findings.map((finding) => {
    const failed = ({ findings: all }: Read): boolean =>
      all.some(({ criterionId, failCount }) => criterionId === finding.criterionId && failCount > 0);
    const end = same.findIndex((read) => !failed(read));
    const before = end === -1 ? same.length : end;
    return { ...finding, runStreak: finding.failCount > 0 ? before + 1 : 0 };
  });
}

function verdictOf({ verdict }: runs.OverviewRunRow): OverviewRun['verdict'] {
  const summary = verdict as JourneyRunVerdictSummary | null;
  if (!summary) return null;
  return summary.status === 'decided' ? summary.decision.verdict : 'notEstablished';
}

function sumOf(all: readonly OverviewRun[]): Overview['goalCompletion'] {
  const graded = all.flatMap(({ goalCompletion, createdAt }) =>
    goalCompletion && goalCompletion.gradedCount > 0 ? [{ ...goalCompletion, createdAt }] : [],
  );
  const days = new Map<number, { gradedCount: number; passedCount: number }>();
  for (const { createdAt, gradedCount, passedCount } of graded) {
    const start = createdAt - (createdAt % msPerDay);
    const sum = days.get(start) ?? { gradedCount: 0, passedCount: 0 };
    days.set(start, {
      gradedCount: sum.gradedCount + gradedCount,
      passedCount: sum.passedCount + passedCount,
    });
  }
  const gradedCount = graded.reduce((sum, one) => sum + one.gradedCount, 0);
  const passedCount = graded.reduce((sum, one) => sum + one.passedCount, 0);
  return {
    gradedCount,
    passedCount,
    passRate: gradedCount === 0 ? null : passedCount / gradedCount,
    runsWithGrades: graded.length,
    trend: [...days]
      .sort(([a], [b]) => a - b)
      .map(([dayStartMs, sum]) => ({ dayStartMs, ...sum, passRate: sum.passedCount / sum.gradedCount })),
  };
}
