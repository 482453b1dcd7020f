import { Refusal } from '../../../contract/errors.ts';
import {
  type JourneyRunVerdictSummary,
  journeyRunVerdict,
  type SwarmReport,
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
  const { db, config } = context;
  const run = await findRun(context, runId);
  const rows = await db.rows(sessions.attemptsOfRun, { runId });
  const { at } = await db.one(sessions.heartbeat, { runId, lease: config.evalLease });
  const targets = targetsOf(run);
  const { verdict, report } = await decided(context, run);
  return {
    ...presentRun(run),
    attempts: rows.map((row) => presentAttempt(targets, row)),
    targetSummaries: targetSummaries(targets, rows),
    ...(at !== null && { lastHeartbeatAt: at }),
    verdictSummary: presentVerdict(verdict),
    report: report as unknown as NonNullable<PresentedRun['report']>,
    insights: await insightsOfRun(context, run, rows),
  };
};

/** The verdict and the report: as stored once the run is graded, else of its sessions as they are. */
async function decided(
  { db, clock }: Pick<ProjectContext, 'db' | 'clock'>,
  run: runs.JourneyRunRow,
): Promise<{ verdict: JourneyRunVerdictSummary; report: SwarmReport }> {
  const verdict = run.verdict as JourneyRunVerdictSummary | null;
  const report = (run.tally as RunTally | null)?.report;
  if (verdict && report) return { verdict, report };
  const facts = factsOfRun(run, await db.rows(sessions.listOfRun, { runId: run.id }));
  const found = verdict ?? journeyRunVerdict(facts, clock());
  return { verdict: found, report: swarmReport(facts, found) };
}

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
