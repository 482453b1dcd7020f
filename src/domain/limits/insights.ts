import type { Db } from '../../platform/database/database.ts';
import type { Context } from '../context.ts';
import { spendAtPace } from './spend-at-pace.ts';

/** Requests of an organization. */
const perMinute = 60;

/** Takes one unit of the day, in the caller's transaction, unless too many were taken just now. */
export function spendInsight(context: Context, db: Db, reason: string): Promise<void> {
  return spendAtPace(context, db, 'insightsPerDay', perMinute, reason);
}
