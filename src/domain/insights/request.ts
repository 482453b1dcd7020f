import type { Db } from '../../platform/database/database.ts';
import type { InsightsQueries, InsightsRow } from '../../platform/database/queries/insights-requests.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { ProjectContext } from '../context.ts';
import { spendInsight } from '../limits/insights.ts';
import { conflict } from '../refusals.ts';
import type { Asked } from './job.ts';

interface Wanted extends Omit<Asked, 'request'> {
  insights: InsightsQueries;
  /** Of the job that gathers them. */
  job: string;
  /** What the insights are into, in words. */
  thing: string;
  force: boolean | undefined;
}

/** Asks for insights, which takes one unit of the day. Refused while some are on their way or there, unless forced. */
export async function askForInsights(
  context: ProjectContext,
  db: Db,
  { insights, job, thing, force, ownerId, waveId }: Wanted,
): Promise<void> {
  const { actor } = context;
  await db.row(insights.lineUp, { ownerId, waveId });
  const last = await db.row(insights.find, { ownerId, waveId });
  if (last?.status === 'pending' && !force)
    throw conflict('Insights are on their way. Poll them, or send force to begin again', 'INSIGHTS_PENDING');
  if (last?.status === 'completed' && !force)
    throw conflict(
      `The ${thing} has its insights. Read them, or send force to ask again`,
      'INSIGHTS_COMPLETED',
    );
  await spendInsight(context, db, `insights of ${thing} ${waveId}`);
  const userId = actor.user.id;
  const { request } = await db.one(insights.begin, { ownerId, waveId, requestedBy: userId });
  const onBehalfOf = { organizationId: actor.organization.id, userId };
  const uniqueKey = `${ownerId} ${waveId} ${request}`;
  const asked: Asked = { ownerId, waveId, request };
  await enqueue(db, job, asked, { uniqueKey, onBehalfOf });
}

/** What was asked for and still stands. */
export function standing(row: InsightsRow | undefined) {
  return row && row.status !== 'canceled' ? { ...row, status: row.status } : undefined;
}

/** As whoever asked reads it. */
export function presentInsights({
  status,
  insights,
  discovery,
  errorCode,
  errorMessage,
  updatedAt,
}: NonNullable<ReturnType<typeof standing>>) {
  const open = (value: unknown) => value as Record<string, unknown> | null;
  return {
    status,
    insights: open(insights),
    discovery: open(discovery),
    errorCode,
    errorMessage,
    updatedAt,
  };
}
