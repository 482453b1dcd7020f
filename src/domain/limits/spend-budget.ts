import type { Refusal } from '../../contract/errors.ts';
import { isFree } from '../../models/cost.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import type { Db } from '../../platform/database/database.ts';
import * as reservations from '../../platform/database/queries/spend-reservations.ts';
import type { Context, Services } from '../context/context.ts';
import { periodOf } from './spend.ts';
import { type Account, budgetReached, isSpent, priceUnknown } from './spend-cap.ts';

/** The organization's account for the current month. */
export function accountOf(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  organizationId: string,
): Promise<Account> {
  return db.one(reservations.accountOf, { organizationId, period: periodOf('credits', clock()) });
}

/** Refuses calls on this deployment's keys once the spend cap or the plan's credits are used up. */
export async function refuseSpent(context: Context, db: Db, routes: readonly ModelRoute[]): Promise<void> {
  const refusal = await spentBy({ ...context, db }, context.actor.organization.id, routes);
  if (refusal) throw refusal;
}

/** Why these models cannot be called any more; undefined while budget is left or none of them is billed here. */
export async function spentBy(
  services: Pick<Services, 'db' | 'clock'>,
  organizationId: string,
  routes: readonly ModelRoute[],
): Promise<Refusal | undefined> {
  const paid = routes.filter(isPaidHere);
  if (paid.length === 0) return undefined;
  const account = await accountOf(services, organizationId);
  if (account.allowed === null) return undefined;
  const now = services.clock();
  const unpriced = paid.find(({ prices }) => prices === undefined);
  if (unpriced) return priceUnknown(unpriced, now);
  return isSpent(account) ? budgetReached(account, now) : undefined;
}

/** Whether calls cost the operator money. A model without a price counts as paid. */
function isPaidHere({ billed, prices }: ModelRoute): boolean {
  return billed === 'operator' && !(prices && isFree(prices));
}
