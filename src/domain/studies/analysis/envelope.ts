import type { WindowInsights } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import { studyInsights } from '../../../platform/database/queries/insights-requests.ts';
import type { InsightsContent } from '../../insights/content.ts';
import { type Envelope, envelopeOf } from '../../insights/envelope.ts';
import { latestWindow } from './signals.ts';

/** What was found out about the latest seven days of a study that were analysed. */
export async function insightsOfStudy(db: Db, studyId: string): Promise<Envelope> {
  const window = await latestWindow(db, studyId);
  const next = 'the next seven days';
  if (!window)
    return envelopeOf(null, {
      row: undefined,
      scope: { kind: 'user_testing_window', id: studyId, scenarioId: studyId },
      ready: 'window_not_analysed',
      coverage: { analyzed: 0, total: 0, feedbackCount: 0 },
      next,
    });
  const { windowId, windowStartAt, windowEndAt, signals } = window;
  const row = await db.row(studyInsights.find, { ownerId: studyId, waveId: windowId });
  const content = (row?.insights ?? null) as InsightsContent<WindowInsights> | null;
  const { sessionCount, feedbackCount } = content ?? signals;
  return envelopeOf(content, {
    row,
    scope: { kind: 'user_testing_window', id: windowId, scenarioId: studyId, windowStartAt, windowEndAt },
    ready: true,
    coverage: { analyzed: content ? sessionCount : 0, total: sessionCount, feedbackCount },
    next,
  });
}
