import { Refusal } from '../../contract/errors.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as ledger from '../../platform/database/queries/ledger.ts';
import * as budgets from '../../platform/database/queries/spend-budgets.ts';
import type { Context, Services } from '../context.ts';
import { limitsOf } from './plan.ts';
import { periodOf, resetOf } from './spend.ts';

export const microsPerCredit = 10_000;

/** What is spent of what an organization may spend on keys of this deployment. */
interface Spent {
  spent: number;
  allowed: number;
}

/** Refuses work on keys of this deployment once the cap, or what the plan allows, is spent. */
export async function refuseSpent(context: Context, db: Db, routes: readonly ModelRoute[]): Promise<void> {
  const now = context.clock();
  const all = await spentBy({ ...context, db }, context.actor.organization.id, routes);
  if (!all) return;
  const { spent, allowed } = all;
  const resetsAt = resetOf('credits', now);
  throw new Refusal(
    'RATE_LIMITED',
    `The organization has spent ${Math.round(spent)} of ${allowed} credits this month. Raise the cap, bring your own keys, or use the offline model`,
    {
      details: {
        reason: 'SPEND_BUDGET_REACHED',
        limit: 'credits',
        currentValue: spent,
        allowedValue: allowed,
        resetsAt,
      },
      retryAfter: Math.max(1, Math.ceil((resetsAt - now) / 1000)),
    },
  );
}

/** Undefined while there is something left, or nothing is paid for here. */
export async function spentBy(
  services: Pick<Services, 'db' | 'config' | 'clock'>,
  organizationId: string,
  routes: readonly ModelRoute[],
): Promise<Spent | undefined> {
  if (!routes.some(({ billed }) => billed === 'operator')) return undefined;
  const { db } = services;
  const cap = await db.row(budgets.find, { organizationId });
  const plan = await limitsOf(services, organizationId);
  const allowed = lowest(cap?.capCredits, plan.limits['credits'] ?? undefined);
  if (allowed === undefined) return undefined;
  const account = { organizationId, budget: 'credits', period: periodOf('credits', services.clock()) };
  const { total } = (await db.row(ledger.last, account)) ?? { total: 0 };
  const { micros } = await db.one(runs.openCost, { organizationId });
  const spent = total + micros / microsPerCredit;
  return spent < allowed ? undefined : { spent, allowed };
}

function lowest(...limits: (number | undefined)[]): number | undefined {
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Books what a run has cost. Whether it fits was asked before; what is spent is spent. */
export async function bookSpending(
  db: Db,
  now: number,
  spending: { organizationId: string; micros: number; reason: string; actor: string },
): Promise<void> {
  const { organizationId, micros, reason, actor } = spending;
  if (micros <= 0) return;
  const account = { organizationId, budget: 'credits', period: periodOf('credits', now) };
  await db.row(ledger.lock, account);
  const { position, total } = (await db.row(ledger.last, account)) ?? { position: 0, total: 0 };
  const amount = micros / microsPerCredit;
  await db.run(ledger.append, {
    ...account,
    position: position + 1,
    amount,
    total: total + amount,
    reason,
    actor,
  });
}
