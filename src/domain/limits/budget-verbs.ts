import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as ledger from '../../platform/database/queries/ledger.ts';
import * as budgets from '../../platform/database/queries/spend-budgets.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import type { Verb } from '../verb.ts';
import { periodOf, resetOf } from './spend.ts';

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

/** What runs that are not over have cost so far counts too. */
async function present(context: Context, db: Db): Promise<Budget> {
  const organizationId = context.actor.organization.id;
  const now = context.clock();
  const period = periodOf('credits', now);
  const row = await db.row(budgets.find, { organizationId });
  const { total } = (await db.row(ledger.last, { organizationId, budget: 'credits', period })) ?? {
    total: 0,
  };
  const { micros } = await db.one(runs.openCost, { organizationId });
  const spent = total + micros / 10_000;
  const cap = row?.capCredits ?? null;
  const reached = cap !== null && spent >= cap;
  const reachedAt = reached
    ? ((await db.row(budgets.reachedAt, { organizationId, period, total: cap }))?.at ?? now)
    : null;
  return {
    capUsd: cap === null ? null : cap / 100,
    capCredits: cap,
    alertPercents: row?.alertPercents ?? [],
    spentUsd: Math.round(spent * 100) / 10_000,
    spentCredits: Math.round(spent),
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
