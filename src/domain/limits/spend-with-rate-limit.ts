import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as ledger from '../../platform/database/queries/ledger.ts';
import type { Context } from '../context/context.ts';
import type { Budget } from './plan.ts';
import { periodOf, spend } from './spend.ts';

/** Takes one unit of a budget in the caller's transaction, unless the organization exceeds the rate limit. */
export async function spendWithRateLimit(
  context: Context,
  db: Db,
  budget: Budget,
  perMinute: number,
  reason: string,
): Promise<void> {
  const organizationId = context.actor.organization.id;
  const account = { organizationId, budget, period: periodOf(budget, context.clock()) };
  await db.row(ledger.lock, account);
  const age = await db.row(ledger.ageOf, { ...account, back: perMinute - 1 });
  if (age && age.seconds < 60) {
    const retryAfter = Math.max(1, Math.ceil(60 - age.seconds));
    throw new Refusal(
      'RATE_LIMITED',
      `Rate limit exceeded: ${perMinute} requests per minute. Retry after ${retryAfter} s`,
      {
        details: { reason: 'TOO_MANY_REQUESTS', perMinute, retryAfterMs: retryAfter * 1000 },
        retryAfter,
      },
    );
  }
  await spend(context, db, budget, 1, reason);
}
