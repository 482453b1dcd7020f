import { Refusal } from '../../contract/errors.ts';
import { journeyFindings, observeJourneys, type WaveInsights, waveInsights } from '../../evaluation/index.ts';
import * as insights from '../../platform/database/queries/insights.ts';
import * as runs from '../../platform/database/queries/journey-runs.ts';
import * as sessionRows from '../../platform/database/queries/journey-sessions.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { jobKinds } from '../base/job-kinds.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Services } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { findingStatuses } from '../insights/findings.ts';
import { insightsHandler } from '../insights/job.ts';
import {
  activeRequest,
  type Envelope,
  envelopeOf,
  presentSessions,
  sessionsBody,
} from '../insights/present.ts';
import { requestInsights } from '../insights/request.ts';
import { countedSessions, type SessionsContent } from '../insights/sessions.ts';
import { sessionsSource } from '../insights/source.ts';
import type { ModelParts } from '../model-calls/open-model.ts';
import { factsOfRun } from './grade/session-facts.ts';
import { labelOf, type ShownTarget } from './snapshot.ts';

interface CountedWave extends WaveInsights {
  journeyFindings: ReturnType<typeof journeyFindings>;
}

const source = sessionsSource(jobKinds.findWaveInsights, 'wave', insights.waveInsights);

export const requestWaveInsights: Verb<'requestWaveInsights'> = (context, { waveId, body }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    const launched = await db.rows(runs.ofWave, { projectId, waveId });
    found(launched[0], 'wave');
    if (launched.every(({ status }) => status === 'running'))
      throw conflict(
        `All runs of wave ${waveId} are still running. Try again when one has finished`,
        'WAVE_RUNNING',
      );
    await requestInsights(context, db, source, { ownerId: projectId, waveId }, body.force);
    await audit(db, context, 'wave.insights', waveId);
    return { waveId, projectId, status: 'pending' };
  });

export const cancelWaveInsights: Verb<'cancelWaveInsights'> = (context, { waveId }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    found((await db.rows(runs.ofWave, { projectId, waveId }))[0], 'wave');
    if (!(await db.row(insights.waveInsights.cancel, { ownerId: projectId, waveId })))
      throw conflict(`No request for insights into wave ${waveId} is pending`, 'INSIGHTS_NOT_PENDING');
    await audit(db, context, 'wave.cancel-insights', waveId);
    return { waveId, projectId, canceled: true };
  });

export function waveInsightsHandler(parts: ModelParts): JobHandler {
  const { db, clock } = parts.services;
  return insightsHandler(parts, source, async ({ ownerId: projectId, waveId }) => {
    const launched = await db.rows(runs.ofWave, { projectId, waveId });
    const organizationId = launched[0]?.organizationId;
    if (organizationId === undefined) return undefined;
    const facts = [];
    for (const run of launched)
      facts.push(factsOfRun(run, await db.rows(sessionRows.listOfRun, { runId: run.id })));
    const sessions = facts.flatMap((run) => run.sessions);
    const observations = observeJourneys(sessions);
    const statuses = await findingStatuses(db, { kind: 'journey', id: projectId }, observations);
    const counted: CountedWave = {
      ...waveInsights(sessions, observations, statuses),
      journeyFindings: journeyFindings(facts, clock()),
    };
    const spoken = sessions.filter(({ turns }) => turns > 0).map(({ sessionId }) => sessionId);
    const project = { organizationId, projectId };
    return countedSessions(parts.services, project, { insights: counted, users: 'personas', spoken });
  });
}

export const getWaveInsights: Verb<'getWaveInsights'> = async ({ db, project }, { waveId }) => {
  const row = activeRequest(await source.find(db, { ownerId: project.id, waveId }));
  if (!row)
    throw new Refusal('NOT_FOUND', `No insights for wave "${waveId}". Request them first, or check the ID`);
  return { waveId, ...presentSessions(row) };
};

export async function insightsOfRun(
  { db }: Pick<Services, 'db'>,
  run: runs.JourneyRunRow,
  rows: readonly sessionRows.AttemptRow[],
): Promise<Envelope> {
  const { projectId, waveId } = run;
  const row = await source.find(db, { ownerId: projectId, waveId });
  const content = (row?.insights ?? null) as SessionsContent<CountedWave> | null;
  const scope = { kind: 'swarm_wave', id: waveId, runId: run.id } as const;
  return envelopeOf(row, scope, run.status === 'running' ? 'run_not_over' : undefined, {
    ...sessionsBody(content, waveId, 'the next wave', {
      analyzed: content ? content.sessionCount - content.unanalyzedSessionCount : 0,
      total: content?.sessionCount ?? run.total,
      ...(content && { gradedCount: content.judgeCoverage.graded }),
    }),
    runHealth: { targets: healthOf(run.targets as ShownTarget[], rows) },
    ...(content && { journeyFindings: content.journeyFindings as unknown as Record<string, unknown> }),
  });
}

function healthOf(
  targets: readonly ShownTarget[],
  rows: readonly sessionRows.AttemptRow[],
): NonNullable<Envelope['runHealth']>['targets'] {
  return targets.map((target, at) => {
    const own = rows.filter((row) => row.target === at);
    const count = (status: sessionRows.AttemptRow['status']): number =>
      own.filter((row) => row.status === status).length;
    return {
      subjectKind: target.kind,
      subjectId: target.targetId,
      subjectLabel: labelOf(target),
      attempted: own.length - count('pending'),
      succeeded: count('succeeded'),
      failed: count('failed'),
      rateLimited: count('rate_limited'),
    };
  });
}
