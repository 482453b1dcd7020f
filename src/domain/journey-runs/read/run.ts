import { Refusal } from '../../../contract/errors.ts';
import {
  type JourneyRunVerdictSummary,
  journeyRunVerdict,
  scorecard,
  swarmReport,
} from '../../../evaluation/index.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import * as journeys from '../../../platform/database/queries/journeys.ts';
import { pageByLatest } from '../../base/paging.ts';
import { found } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { criteriaOf, factsOfRun } from '../grade/session-facts.ts';
import type { RunTally } from '../grade/tally.ts';
import { insightsOfRun } from '../insights.ts';
import {
  type PresentedRun,
  presentAttempt,
  presentRun,
  presentVerdict,
  targetSummaries,
  targetsOf,
} from './present.ts';

export const listJourneyRuns: Verb<'listJourneyRuns'> = async (context, input) => {
  const { db, project } = context;
  const { journeyId } = input;
  found(await db.row(journeys.findAny, { projectId: project.id, id: journeyId }), 'journey');
  return pageByLatest(
    context,
    ['journey-runs', journeyId],
    input,
    (before, most) => db.rows(runs.listOfJourney, { journeyId, before, most }),
    presentRun,
  );
};

export const getJourneyRun: Verb<'getJourneyRun'> = async (
  context,
  { journeyRunId: runId },
): Promise<PresentedRun> => {
  const { db, config, clock } = context;
  const run = await findRun(context, runId);
  const rows = await db.rows(sessions.listOfRun, { runId });
  const { at } = await db.one(sessions.heartbeat, { runId, lease: config.evalLease });
  const targets = targetsOf(run);
  const facts = factsOfRun(run, rows);
  const verdict = (run.verdict as JourneyRunVerdictSummary | null) ?? journeyRunVerdict(facts, clock());
  return {
    ...presentRun(run),
    attempts: rows.map((row) => presentAttempt(targets, row)),
    targetSummaries: targetSummaries(targets, rows),
    ...(at !== null && { lastHeartbeatAt: at }),
    verdictSummary: presentVerdict(verdict),
    report: swarmReport(facts, verdict) as unknown as NonNullable<PresentedRun['report']>,
    insights: await insightsOfRun(context, run, rows),
  };
};

export const getJourneyRunScorecard: Verb<'getJourneyRunScorecard'> = async (
  context,
  { journeyRunId: runId },
) => {
  const run = await findRun(context, runId);
  if (run.rubric === null) throw new Refusal('NOT_FOUND', 'The run has no rubric, so it has no scorecard');
  const kept = (run.tally as RunTally | null)?.scorecard;
  if (kept) return kept;
  const facts = factsOfRun(run, await context.db.rows(sessions.listOfRun, { runId }));
  return scorecard(run.id, criteriaOf(run), facts.sessions);
};

export async function findRun(
  { db, project }: Pick<ProjectContext, 'db' | 'project'>,
  id: string,
): Promise<runs.JourneyRunRow> {
  return found(await db.row(runs.find, { projectId: project.id, id }), 'journey run');
}
