import type { Db } from '../../platform/database/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { conflict } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';
import { spendInsight } from '../limits/insights.ts';
import type { InsightsSource, Subject } from './source.ts';

/** Spends one unit of the daily budget and enqueues the job. Refuses pending or completed insights, unless forced. */
export async function requestInsights<Of extends Subject>(
  context: ProjectContext,
  db: Db,
  source: InsightsSource<Of>,
  subject: Of,
  force: boolean | undefined,
): Promise<void> {
  const about = source.describe(subject);
  await source.lockForUpdate(db, subject);
  const last = await source.find(db, subject);
  if (last?.status === 'pending' && !force)
    throw conflict(
      `Insights for ${about} are being generated. Poll until they are ready, or send "force": true to start again`,
      'INSIGHTS_PENDING',
    );
  if (last?.status === 'completed' && !force)
    throw conflict(
      `Insights for ${about} are ready. Read them, or send "force": true to generate them again`,
      'INSIGHTS_COMPLETED',
    );
  await spendInsight(context, db, `insights of ${about}`);
  const { user, organization } = context.actor;
  const { request } = await source.begin(db, subject, user.id);
  await enqueue(
    db,
    source.job,
    { ...subject, request },
    {
      uniqueKey: [...Object.values(subject), request].join(' '),
      onBehalfOf: { organizationId: organization.id, userId: user.id },
    },
  );
}
