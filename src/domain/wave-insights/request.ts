import { Refusal } from '../../contract/errors.ts';
import * as runs from '../../platform/database/queries/journey-runs.ts';
import * as insights from '../../platform/database/queries/wave-insights.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import { spendInsight } from '../limits/insights.ts';
import { conflict, found } from '../refusals.ts';
import type { Verb } from '../verb.ts';

export const findWaveInsights = 'find-wave-insights';

export const getWaveInsights: Verb<'getWaveInsights'> = async ({ db, project }, { waveId }) => {
  const row = await db.row(insights.find, { projectId: project.id, waveId });
  if (!row || row.status === 'canceled')
    throw new Refusal('NOT_FOUND', 'Nobody has asked for insights into this wave, or there is no such wave');
  const { status, errorCode, errorMessage, updatedAt } = row;
  const open = (value: unknown) => value as Record<string, unknown> | null;
  return {
    waveId,
    status,
    insights: open(row.insights),
    discovery: open(row.discovery),
    errorCode,
    errorMessage,
    updatedAt,
  };
};

export const requestWaveInsights: Verb<'requestWaveInsights'> = (context, { waveId, body }) =>
  writeInProject(context, async (db) => {
    const { actor, project } = context;
    const projectId = project.id;
    const launched = await db.rows(runs.ofWave, { projectId, waveId });
    found(launched[0], 'wave');
    if (launched.every(({ status }) => status === 'running'))
      throw conflict('No run of the wave is over yet. Ask when one is', 'WAVE_RUNNING');
    await db.row(insights.lineUp, { projectId, waveId });
    const last = await db.row(insights.find, { projectId, waveId });
    const wanted = { waveId, projectId, status: 'pending' as const };
    if (last?.status === 'pending' && !body.force)
      throw conflict(
        'Insights are on their way. Poll them, or send force to begin again',
        'INSIGHTS_PENDING',
      );
    if (last?.status === 'completed' && !body.force)
      throw conflict(
        'The wave has its insights. Read them, or send force to ask again',
        'INSIGHTS_COMPLETED',
      );
    await spendInsight(context, db, `insights of wave ${waveId}`);
    const userId = actor.user.id;
    const { request } = await db.one(insights.begin, { projectId, waveId, requestedBy: userId });
    const onBehalfOf = { organizationId: actor.organization.id, userId };
    const uniqueKey = `${projectId} ${waveId} ${request}`;
    await enqueue(db, findWaveInsights, { projectId, waveId, request }, { uniqueKey, onBehalfOf });
    await audit(db, context, 'wave.insights', waveId);
    return wanted;
  });

export const cancelWaveInsights: Verb<'cancelWaveInsights'> = (context, { waveId }) =>
  writeInProject(context, (db) => cancel(context, db, waveId));

async function cancel(
  context: ProjectContext,
  db: ProjectContext['db'],
  waveId: string,
): Promise<{ waveId: string; projectId: string; canceled: true }> {
  const projectId = context.project.id;
  found((await db.rows(runs.ofWave, { projectId, waveId }))[0], 'wave');
  if (!(await db.row(insights.cancel, { projectId, waveId })))
    throw conflict('No insights into this wave are on their way', 'INSIGHTS_NOT_PENDING');
  await audit(db, context, 'wave.cancel-insights', waveId);
  return { waveId, projectId, canceled: true };
}
