import { Refusal } from '../../contract/errors.ts';
import { nextUtcMidnight } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as ledger from '../../platform/database/queries/ledger.ts';
import type { Context, Services } from '../context/context.ts';
import { type Budget, budgets, limitsOf } from './plan.ts';

/**
 * Takes from a budget in the caller's transaction: a rollback also returns the budget. Refuses the whole amount if it
 * does not fit.
 */
export async function spend(
  context: Context,
  db: Db,
  budget: Budget,
  amount: number,
  reason: string,
): Promise<void> {
  const { organization, user } = context.actor;
  const now = context.clock();
  const account = { organizationId: organization.id, budget, period: periodOf(budget, now) };
  await db.row(ledger.lock, account);
  const plan = await limitsOf({ ...context, db }, organization.id);
  const allowed = plan.limits[budget] ?? null;
  const { position, total } = (await db.row(ledger.last, account)) ?? { position: 0, total: 0 };
  if (allowed !== null && total + amount > allowed) {
    const resetsAt = resetOf(budget, now);
    throw new Refusal(
      'RATE_LIMITED',
      `Plan limit reached (${budget}): ${total} of ${allowed} ${budgets[budget].meaning} used`,
      {
        details: {
          limit: budget,
          gateKey: budget,
          plan: plan.name,
          currentValue: total,
          allowedValue: allowed,
          resetsAt,
        },
        retryAfter: Math.max(1, Math.ceil((resetsAt - now) / 1000)),
      },
    );
  }
  await db.run(ledger.append, {
    ...account,
    position: position + 1,
    amount,
    total: total + amount,
    reason,
    actor: user.id,
  });
}

/** Usage per budget in the current period. */
export async function usageOf(
  services: Pick<Services, 'db' | 'clock'>,
  organizationId: string,
): Promise<Record<Budget, number>> {
  const used: Partial<Record<Budget, number>> = {};
  for (const budget of Object.keys(budgets) as Budget[]) {
    const period = periodOf(budget, services.clock());
    used[budget] = (await services.db.row(ledger.last, { organizationId, budget, period }))?.total ?? 0;
  }
  return used as Record<Budget, number>;
}

export function periodOf(budget: Budget, now: number): string {
  return new Date(now).toISOString().slice(0, budgets[budget].period === 'day' ? 10 : 7);
}

export function resetOf(budget: Budget, now: number): number {
  if (budgets[budget].period === 'day') return nextUtcMidnight(now);
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
