import type { Db } from '../../platform/database/database.ts';
import * as plans from '../../platform/database/queries/plans.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { budgets, concurrencies } from '../limits/plan.ts';

export const limitNames: readonly string[] = [...Object.keys(budgets), ...Object.keys(concurrencies)];

/** Creates the plan, or changes the given limits of an existing one. The value `unlimited` removes a limit. */
export async function definePlan(db: Db, name: string, limits: Record<string, string>): Promise<void> {
  const parsed = Object.fromEntries(
    Object.entries(limits).map(([limit, value]) => [limit, amountOf(limit, value)]),
  );
  await db.transaction(async (trx) => {
    const before = await trx.row(plans.find, { name });
    await trx.run(plans.upsert, {
      name,
      limits: { ...before?.limits, ...parsed },
      features: before?.features ?? {},
    });
    await auditOperator(trx, 'plan.define', name);
  });
}

function amountOf(limit: string, value: string): number | null {
  if (!limitNames.includes(limit))
    throw new OperatorProblem(`No limit ${limit}. Available: ${limitNames.join(', ')}`);
  if (value === 'unlimited') return null;
  if (!/^\d{1,9}$/.test(value))
    throw new OperatorProblem(`${limit}: "${value}" is not a whole number or unlimited`);
  return Number(value);
}

export function allPlans(db: Db): Promise<plans.PlanRow[]> {
  return db.rows(plans.list);
}
