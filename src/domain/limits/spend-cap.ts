import { Refusal } from '../../contract/errors.ts';
import { ModelFailure } from '../../models/failure.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import { nextUtcMidnight } from '../../platform/clock.ts';
import { resetOf } from './spend.ts';

export const microsPerCredit = 10_000;

/** Amounts in millionths of a dollar: booked, reserved by calls under way, and the cap. */
export interface Account {
  settled: number;
  reserved: number;
  /** Null: no cap. */
  allowed: number | null;
}

/** A model call refused because of its possible cost. */
export class SpendCapReached extends ModelFailure {
  /** The response for the caller. */
  readonly refusal: Refusal;
  /** Only reservations of calls under way exceed the cap, so waiting may help. */
  readonly isCrowded: boolean;

  constructor(refusal: Refusal, isCrowded = false) {
    super('spend-cap', refusal.message);
    this.refusal = refusal;
    this.isCrowded = isCrowded;
  }
}

export function isSpent({ settled, allowed }: Pick<Account, 'settled' | 'allowed'>): boolean {
  return allowed !== null && settled >= allowed;
}

export function budgetReached(account: Account, now: number): Refusal {
  const [spent, reserved, allowed] = [account.settled, account.reserved, account.allowed ?? 0].map(
    (micros) => micros / microsPerCredit,
  ) as [number, number, number];
  const resetsAt = resetOf('credits', now);
  const shown = `${Math.round(spent)} of ${allowed} credits this month`;
  const crowded = !isSpent(account);
  return new Refusal(
    'RATE_LIMITED',
    crowded
      ? `The organization has spent ${shown}, and model calls that are running reserve the rest. Try again when they have ended, or raise the cap`
      : `The organization has spent ${shown}. Raise the cap, use your own keys, or use the offline model`,
    {
      details: {
        reason: 'SPEND_BUDGET_REACHED',
        limit: 'credits',
        currentValue: spent,
        ...(crowded && { reservedValue: reserved }),
        allowedValue: allowed,
        resetsAt,
      },
      retryAfter: crowded ? 5 : secondsUntil(resetsAt, now),
    },
  );
}

export function guestCapReached(now: number): Refusal {
  return new Refusal('RATE_LIMITED', 'The daily budget for guests is used up. Try again tomorrow', {
    details: { reason: 'GUEST_CREDIT_CAP' },
    retryAfter: secondsUntil(nextUtcMidnight(now), now),
  });
}

/** A cap cannot be enforced without a price. */
export function priceUnknown({ id }: Pick<ModelRoute, 'id'>, now: number): Refusal {
  return new Refusal(
    'RATE_LIMITED',
    `The model ${id} has no price, so its cost cannot be counted toward the spend cap. Set its "prices" in the models file (0 if it is free), or choose another model`,
    {
      details: { reason: 'MODEL_PRICE_UNKNOWN', limit: 'credits', model: id },
      retryAfter: secondsUntil(resetOf('credits', now), now),
    },
  );
}

function secondsUntil(then: number, now: number): number {
  return Math.max(1, Math.ceil((then - now) / 1000));
}
