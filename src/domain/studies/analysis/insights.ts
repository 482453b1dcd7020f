import { Refusal } from '../../../contract/errors.ts';
import { type WindowInsights, windowInsights } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import { studyInsights } from '../../../platform/database/queries/insights.ts';
import * as studies from '../../../platform/database/queries/studies.ts';
import * as sessions from '../../../platform/database/queries/study-sessions.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import { conflict, found } from '../../base/refusals.ts';
import { writeInProject } from '../../context/access.ts';
import { audit } from '../../context/audit.ts';
import type { Verb } from '../../context/verb.ts';
import { findingStatuses } from '../../insights/findings.ts';
import { insightsHandler } from '../../insights/job.ts';
import {
  activeRequest,
  type Envelope,
  envelopeOf,
  presentSessions,
  sessionsBody,
} from '../../insights/present.ts';
import { requestInsights } from '../../insights/request.ts';
import { countedSessions, maxSampled, type SessionsContent } from '../../insights/sessions.ts';
import { sessionsSource } from '../../insights/source.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { studyOf } from '../sessions.ts';
import { latestWindow, windowOf } from './windows.ts';

const source = sessionsSource(jobKinds.findStudyInsights, 'window', studyInsights);

export const requestStudyInsights: Verb<'requestStudyInsights'> = (context, { studyId, body }) =>
  writeInProject(context, async (db) => {
    const { project } = context;
    await studyOf({ db, project }, studyId);
    const window = await latestWindow(db, studyId);
    if (!window)
      throw conflict(
        'The study has no analysis yet. Try again a few seconds after the first visitor message',
        'WINDOW_NOT_ANALYSED',
      );
    const { windowId } = window;
    await requestInsights(context, db, source, { ownerId: studyId, waveId: windowId }, body.force);
    await audit(db, context, 'study.insights', studyId);
    return { studyId, projectId: project.id, windowId, status: 'pending' };
  });

/** Succeeds also if the request is completed or canceled already. */
export const cancelStudyInsights: Verb<'cancelStudyInsights'> = (context, { studyId, body }) =>
  writeInProject(context, async (db) => {
    const { project } = context;
    const { windowId } = body;
    const subject = { ownerId: studyId, waveId: windowId };
    await studyOf({ db, project }, studyId);
    found(await source.find(db, subject), 'request for insights');
    await db.row(studyInsights.cancel, subject);
    await audit(db, context, 'study.cancel-insights', studyId);
    return { studyId, projectId: project.id, windowId, canceled: true };
  });

export function studyInsightsHandler(parts: ModelParts): JobHandler {
  const { db } = parts.services;
  return insightsHandler(parts, source, async ({ ownerId: id, waveId }) => {
    const study = await db.row(studies.get, { id });
    const window = await windowOf(db, id, waveId);
    if (!study || !window) return undefined;
    const { signals, windowStartAt: from, windowEndAt: to } = window;
    const statuses = await findingStatuses(db, { kind: 'study', id }, signals.candidates);
    const active = await db.rows(sessions.active, { studyId: id, from, to, most: maxSampled });
    return countedSessions(parts.services, study, {
      insights: windowInsights(signals, statuses),
      users: 'visitors',
      spoken: active.map(({ sessionId }) => sessionId),
    });
  });
}

export const getStudyWindowInsights: Verb<'getStudyWindowInsights'> = async (
  context,
  { studyId, windowId },
) => {
  const { db } = context;
  await studyOf(context, studyId);
  const window = await windowOf(db, studyId, windowId);
  const row = activeRequest(await source.find(db, { ownerId: studyId, waveId: windowId }));
  if (!window || !row)
    throw new Refusal(
      'NOT_FOUND',
      `No insights for window "${windowId}". Request them first, or check the ID`,
    );
  const { windowStartAt, windowEndAt } = window;
  return { windowId, windowStartAt, windowEndAt, ...presentSessions(row) };
};

export async function insightsOfStudy(db: Db, studyId: string): Promise<Envelope> {
  const window = await latestWindow(db, studyId);
  const next = 'the next seven days';
  if (!window)
    return envelopeOf(
      undefined,
      { kind: 'user_testing_window', id: studyId, scenarioId: studyId },
      'window_not_analysed',
      sessionsBody(null, studyId, next, { analyzed: 0, total: 0, feedbackCount: 0 }),
    );
  const { windowId, windowStartAt, windowEndAt, signals } = window;
  const row = await source.find(db, { ownerId: studyId, waveId: windowId });
  const content = (row?.insights ?? null) as SessionsContent<WindowInsights> | null;
  const { sessionCount, feedbackCount } = content ?? signals;
  return envelopeOf(
    row,
    { kind: 'user_testing_window', id: windowId, scenarioId: studyId, windowStartAt, windowEndAt },
    undefined,
    sessionsBody(content, windowId, next, {
      analyzed: content ? sessionCount : 0,
      total: sessionCount,
      feedbackCount,
    }),
  );
}
