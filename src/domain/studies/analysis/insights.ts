import { Refusal } from '../../../contract/errors.ts';
import { studyInsights } from '../../../platform/database/queries/insights-requests.ts';
import { writeInProject } from '../../access.ts';
import { audit } from '../../audit.ts';
import { askForInsights, presentInsights, standing } from '../../insights/request.ts';
import { conflict, found } from '../../refusals.ts';
import type { Verb } from '../../verb.ts';
import { studyOf } from '../sessions.ts';
import { latestWindow, windowOf } from './signals.ts';

export const findStudyInsights = 'find-study-insights';

export const getStudyWindowInsights: Verb<'getStudyWindowInsights'> = async (
  context,
  { studyId, windowId },
) => {
  const { db } = context;
  await studyOf(context, studyId);
  const window = await windowOf(db, studyId, windowId);
  const row = standing(await db.row(studyInsights.find, { ownerId: studyId, waveId: windowId }));
  if (!window || !row)
    throw new Refusal(
      'NOT_FOUND',
      'Nobody has asked for insights into these seven days, or there is no such window',
    );
  const { windowStartAt, windowEndAt } = window;
  return { windowId, windowStartAt, windowEndAt, ...presentInsights(row) };
};

export const requestStudyInsights: Verb<'requestStudyInsights'> = (context, { studyId, body }) =>
  writeInProject(context, async (db) => {
    const { project } = context;
    await studyOf({ db, project }, studyId);
    const window = await latestWindow(db, studyId);
    if (!window)
      throw conflict(
        'Nothing was analysed yet. Ask some seconds after somebody has chatted in the study',
        'WINDOW_NOT_ANALYSED',
      );
    const { windowId } = window;
    await askForInsights(context, db, {
      insights: studyInsights,
      job: findStudyInsights,
      thing: 'window',
      force: body.force,
      ownerId: studyId,
      waveId: windowId,
    });
    await audit(db, context, 'study.insights', studyId);
    return { studyId, projectId: project.id, windowId, status: 'pending' as const };
  });

/** Says the same when they are there already, and when somebody else was quicker. */
export const cancelStudyInsights: Verb<'cancelStudyInsights'> = (context, { studyId, body }) =>
  writeInProject(context, async (db) => {
    const { project } = context;
    const { windowId } = body;
    const which = { ownerId: studyId, waveId: windowId };
    await studyOf({ db, project }, studyId);
    found(await db.row(studyInsights.find, which), 'request for insights');
    await db.row(studyInsights.cancel, which);
    await audit(db, context, 'study.cancel-insights', studyId);
    return { studyId, projectId: project.id, windowId, canceled: true as const };
  });
