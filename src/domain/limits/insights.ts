import type { Db } from '../../platform/database/database.ts';
import type { Context } from '../context/context.ts';
import { spendWithRateLimit } from './spend-with-rate-limit.ts';

/** Requests per organization and minute. */
const perMinute = 60;

/** Takes one unit of the daily budget in the caller's transaction, subject to the rate limit. */
export function spendInsight(context: Context, db: Db, reason: string): Promise<void> {
  return spendWithRateLimit(context, db, 'insightsPerDay', perMinute, reason);
}
