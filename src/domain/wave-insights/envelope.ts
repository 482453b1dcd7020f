import { waveInsights } from '../../platform/database/queries/insights-requests.ts';
import type { JourneyRunRow } from '../../platform/database/queries/journey-runs.ts';
import type { SessionRow } from '../../platform/database/queries/journey-sessions.ts';
import type { Services } from '../context.ts';
import type { InsightsContent } from '../insights/content.ts';
import { type Envelope, envelopeOf } from '../insights/envelope.ts';
import { labelOf, type ShownTarget } from '../journey-runs/snapshot.ts';
import type { CountedWave } from './content.ts';

/** What was found out about the wave of a run. */
export async function insightsOfRun(
  { db }: Pick<Services, 'db'>,
  run: JourneyRunRow,
  rows: readonly SessionRow[],
): Promise<Envelope> {
  const { projectId, waveId } = run;
  const row = await db.row(waveInsights.find, { ownerId: projectId, waveId });
  const content = (row?.insights ?? null) as InsightsContent<CountedWave> | null;
  const envelope = envelopeOf(content, {
    row,
    scope: { kind: 'swarm_wave', id: waveId, runId: run.id },
    ready: run.status === 'running' ? 'run_not_over' : true,
    coverage: {
      analyzed: content ? content.sessionCount - content.unanalyzedSessionCount : 0,
      total: content?.sessionCount ?? run.total,
      ...(content && { gradedCount: content.judgeCoverage.graded }),
    },
    next: 'the next wave',
  });
  return {
    ...envelope,
    runHealth: { targets: healthOf(run.targets as ShownTarget[], rows) },
    ...(content && { journeyFindings: content.journeyFindings as unknown as Record<string, unknown> }),
  };
}

function healthOf(
  targets: readonly ShownTarget[],
  rows: readonly SessionRow[],
): NonNullable<Envelope['runHealth']>['targets'] {
  return targets.map((target, at) => {
    const own = rows.filter((row) => row.target === at);
    const count = (status: SessionRow['status']): number => own.filter((row) => row.status === status).length;
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
