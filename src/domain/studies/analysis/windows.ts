import { Refusal } from '../../../contract/errors.ts';
import type { StudySignals } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import { studyInsights } from '../../../platform/database/queries/insights.ts';
import * as sessions from '../../../platform/database/queries/study-sessions.ts';
import * as windows from '../../../platform/database/queries/study-windows.ts';
import type { Verb } from '../../context/verb.ts';
import { activeRequest } from '../../insights/present.ts';
import { studyOf } from '../sessions.ts';

const sevenDays = 7 * 86_400_000;

/** An analysed window with its counts. */
export interface AnalysedWindow {
  windowId: string;
  windowStartAt: number;
  windowEndAt: number;
  analysedAt: number;
  signals: StudySignals;
}

function analysed(row: windows.WindowRow): AnalysedWindow {
  const { id, startAt, analysedAt, signals } = row;
  return {
    windowId: id,
    windowStartAt: startAt,
    windowEndAt: startAt + sevenDays,
    analysedAt,
    signals: signals as StudySignals,
  };
}

export async function latestWindow(db: Db, studyId: string): Promise<AnalysedWindow | undefined> {
  const row = await db.row(windows.latest, { studyId });
  return row && analysed(row);
}

export async function windowOf(
  db: Db,
  studyId: string,
  windowId: string,
): Promise<AnalysedWindow | undefined> {
  const row = await db.row(windows.find, { studyId, id: windowId });
  return row && analysed(row);
}

export const getStudySignals: Verb<'getStudySignals'> = async (context, { studyId }) => {
  const { db } = context;
  await studyOf(context, studyId);
  const window = await latestWindow(db, studyId);
  if (!window)
    throw new Refusal(
      'NOT_FOUND',
      'No sessions analyzed yet. Sessions are analyzed a few seconds after a visitor chats',
    );
  const { signals, ...about } = window;
  const row = activeRequest(await db.row(studyInsights.find, { ownerId: studyId, waveId: window.windowId }));
  const withInsights = await db.row(windows.latestWithInsights, { studyId });
  const { at } = await db.one(sessions.latestActivity, { studyId });
  return {
    ...about,
    ...signals,
    candidates: signals.candidates.map((candidate) => ({ ...candidate })),
    latestGroupId: withInsights?.waveId ?? null,
    dataStale: at !== null && at > window.analysedAt,
    canRequest: row?.status !== 'pending' && row?.status !== 'completed',
  };
};
