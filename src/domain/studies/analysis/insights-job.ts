import { type FindingStatus, type WindowInsights, windowInsights } from '../../../evaluation/index.ts';
import { studyFindings } from '../../../platform/database/queries/findings.ts';
import { studyInsights } from '../../../platform/database/queries/insights-requests.ts';
import * as studies from '../../../platform/database/queries/studies.ts';
import * as sessions from '../../../platform/database/queries/study-sessions.ts';
import type { JobKind } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context.ts';
import type { ModelParts } from '../../eval-runs/execute/ask-model.ts';
import { type Asked, type Counted, insightsJobOf } from '../../insights/job.ts';
import { findStudyInsights } from './insights.ts';
import { windowOf } from './signals.ts';

/** Sessions of the window whose words may be shown to a model. */
const mostSpoken = 24;

/** Gathers what was counted in seven days of a study. */
export function studyInsightsJob(parts: ModelParts): JobKind {
  return insightsJobOf(parts, {
    kind: findStudyInsights,
    insights: studyInsights,
    users: 'visitors',
    count: (asked) => count(parts.services, asked),
  });
}

async function count(
  { db }: Services,
  { ownerId, waveId }: Asked,
): Promise<Counted<WindowInsights> | undefined> {
  const study = await db.row(studies.get, { id: ownerId });
  const window = await windowOf(db, ownerId, waveId);
  if (!study || !window) return undefined;
  const { organizationId, projectId } = study;
  const fingerprints = window.signals.candidates.map(({ fingerprint }) => fingerprint);
  const known = await db.rows(studyFindings.withFingerprints, { ownerId, fingerprints });
  const statuses = new Map<string, FindingStatus>(known.map((row) => [row.fingerprint, row.status]));
  const days = { from: window.windowStartAt, to: window.windowEndAt };
  const active = await db.rows(sessions.active, { studyId: ownerId, ...days, most: mostSpoken });
  return {
    content: windowInsights(window.signals, statuses),
    spoken: active.map(({ sessionId }) => sessionId),
    organizationId,
    projectId,
  };
}
