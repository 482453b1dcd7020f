import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as budgets from '../../platform/database/queries/spend-budgets.ts';
import { audit } from '../context/audit.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { periodOf, resetOf } from './spend.ts';
import { accountOf } from './spend-budget.ts';
import { microsPerCredit } from './spend-cap.ts';

type Budget = OutputOf<Operations['getSpendBudget']>;

const limits = { minCapUsd: 0, maxCapUsd: 1_000_000 };

export const getSpendBudget: Verb<'getSpendBudget'> = (context) => present(context, context.db);

export const setSpendBudget: Verb<'setSpendBudget'> = (context, { organizationId, body }) => {
  return context.db.transaction(async (db) => {
    const capCredits = Math.round(body.capUsd * 100);
    const alertPercents = [...new Set(body.alertPercents)].sort((a, b) => a - b);
    await db.run(budgets.put, { organizationId, capCredits, alertPercents });
    await audit(db, context, 'spend-budget.set', organizationId);
    return present(context, db);
  });
};

export const clearSpendBudget: Verb<'clearSpendBudget'> = (context, { organizationId }) => {
  return context.db.transaction(async (db) => {
    await db.run(budgets.remove, { organizationId });
    await audit(db, context, 'spend-budget.clear', organizationId);
    return present(context, db);
  });
};

async function present(context: Context, db: Db): Promise<Budget> {
  const organizationId = context.actor.organization.id;
  const now = context.clock();
  const period = periodOf('credits', now);
  const row = await db.row(budgets.find, { organizationId });
  const { settled, reserved } = await accountOf({ ...context, db }, organizationId);
  const spent = settled / microsPerCredit;
  const cap = row?.capCredits ?? null;
  const reached = cap !== null && spent >= cap;
  const reachedAt = reached
    ? ((await db.row(budgets.reachedAt, { organizationId, period, total: cap }))?.at ?? now)
    : null;
  return {
    capUsd: cap === null ? null : cap / 100,
    capCredits: cap,
    alertPercents: row?.alertPercents ?? [],
    spentUsd: usd(spent),
    spentCredits: Math.round(spent),
    reservedUsd: usd(reserved / microsPerCredit),
    reservedCredits: Math.round(reserved / microsPerCredit),
    windowStartAt: Date.parse(`${period}-01T00:00:00Z`),
    windowEndsAt: resetOf('credits', now),
    alertedPercents: (row?.alertPercents ?? []).filter(
      (percent) => cap !== null && spent >= (cap * percent) / 100,
    ),
    capReachedAt: reachedAt,
    updatedAt: row?.updatedAt ?? null,
    ...limits,
    supported: true,
  };
}

/** Converts credits, which are US cents, to dollars, rounded to a hundredth of a cent. */
function usd(credits: number): number {
  return Math.round(credits * 100) / 10_000;
}
