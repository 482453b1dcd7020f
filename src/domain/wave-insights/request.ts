import { Refusal } from '../../contract/errors.ts';
import { waveInsights } from '../../platform/database/queries/insights-requests.ts';
import * as runs from '../../platform/database/queries/journey-runs.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import { askForInsights, presentInsights, standing } from '../insights/request.ts';
import { conflict, found } from '../refusals.ts';
import type { Verb } from '../verb.ts';

export const findWaveInsights = 'find-wave-insights';

export const getWaveInsights: Verb<'getWaveInsights'> = async ({ db, project }, { waveId }) => {
  const row = standing(await db.row(waveInsights.find, { ownerId: project.id, waveId }));
  if (!row)
    throw new Refusal('NOT_FOUND', 'Nobody has asked for insights into this wave, or there is no such wave');
  return { waveId, ...presentInsights(row) };
};

export const requestWaveInsights: Verb<'requestWaveInsights'> = (context, { waveId, body }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    const launched = await db.rows(runs.ofWave, { projectId, waveId });
    found(launched[0], 'wave');
    if (launched.every(({ status }) => status === 'running'))
      throw conflict('No run of the wave is over yet. Ask when one is', 'WAVE_RUNNING');
    await askForInsights(context, db, {
      insights: waveInsights,
      job: findWaveInsights,
      thing: 'wave',
      force: body.force,
      ownerId: projectId,
      waveId,
    });
    await audit(db, context, 'wave.insights', waveId);
    return { waveId, projectId, status: 'pending' as const };
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
  if (!(await db.row(waveInsights.cancel, { ownerId: projectId, waveId })))
    throw conflict('No insights into this wave are on their way', 'INSIGHTS_NOT_PENDING');
  await audit(db, context, 'wave.cancel-insights', waveId);
  return { waveId, projectId, canceled: true };
}
