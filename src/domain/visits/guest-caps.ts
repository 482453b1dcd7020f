import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import type { Grant } from '../context.ts';
import { microsPerCredit } from '../limits/spend-budget.ts';

/** Turns of guests of one study at once. */
const mostAtOnce = 16;
const day = 86_400_000;

/** The day in UTC, as it is written down. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Why a guest may not chat now, if so; whoever is known by more than the link is bounded as the organization is. */
export async function refuseGuest(db: Db, { visitor, study }: Grant, now: number): Promise<void> {
  if (visitor.kind !== 'guest') return;
  const { enabled, dailyCreditCap } = study.guestExecution;
  if (!enabled)
    throw new Refusal('FORBIDDEN', 'Guests cannot chat here at the moment', {
      details: { reason: 'GUESTS_DISABLED' },
    });
  const { micros = 0 } = (await db.row(sessions.spent, { studyId: study.id, day: dayOf(now) })) ?? {};
  if (micros >= dailyCreditCap * microsPerCredit)
    throw new Refusal('RATE_LIMITED', 'What guests may use here in a day is used up. Come back tomorrow', {
      details: { reason: 'GUEST_CREDIT_CAP' },
      retryAfter: Math.ceil((day - (now % day)) / 1000),
    });
}

/** Those who come at once get their turn one after the other. */
export async function refuseCrowd(db: Db, { visitor, study }: Grant): Promise<void> {
  if (visitor.kind !== 'guest') return;
  const { count } = await db.one(sessions.runningGuests, { studyId: study.id });
  if (count >= mostAtOnce)
    throw new Refusal('RATE_LIMITED', 'Many people are here at the moment. Try again in a few seconds', {
      details: { reason: 'GUEST_TURN_LIMIT' },
      retryAfter: 5,
    });
}

/** What a turn of a guest has cost. */
export async function bookGuest(
  db: Db,
  { visitor, study }: Grant,
  micros: number,
  now: number,
): Promise<void> {
  if (visitor.kind !== 'guest' || micros <= 0) return;
  await db.run(sessions.addSpent, { studyId: study.id, day: dayOf(now), micros: Math.ceil(micros) });
}
