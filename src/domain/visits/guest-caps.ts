import { Refusal } from '../../contract/errors.ts';
import { utcDay } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import type { Grant } from '../context.ts';
import type { Purpose } from '../eval-runs/execute/ledger.ts';
import { guestCapReached, microsPerCredit } from '../limits/spend-cap.ts';

/** Turns at once: of the guests of one study, and of one visitor. */
const mostAtOnce = 16;
const mostOfOne = 3;

/** Where guests are switched off they use no server either. */
export function refuseDisabled({ visitor, study }: Pick<Grant, 'visitor' | 'study'>): void {
  if (visitor.kind !== 'guest' || study.guestExecution.enabled) return;
  throw new Refusal('FORBIDDEN', 'Guests cannot chat here at the moment', {
    details: { reason: 'GUESTS_DISABLED' },
  });
}

/** Why a guest may not chat now, if so; whoever is known by more than the link is bounded as the organization is. */
export async function refuseGuest(db: Db, { visitor, study }: Grant, now: number): Promise<void> {
  if (visitor.kind !== 'guest') return;
  refuseDisabled({ visitor, study });
  const { dailyCreditCap } = study.guestExecution;
  const { micros = 0 } = (await db.row(sessions.spent, { studyId: study.id, day: utcDay(now) })) ?? {};
  if (micros >= dailyCreditCap * microsPerCredit) throw guestCapReached(now);
}

/** In the transaction that begins a turn. A turn may wait minutes for its visitor, who is not to hold up all others. */
export async function refuseTurn(db: Db, grant: Grant, now: number): Promise<void> {
  const studyId = grant.study.id;
  await db.row(sessions.lineUpTurns, { studyId });
  const { own, guests } = await db.one(sessions.running, { studyId, visitorId: grant.visitor.id });
  if (own >= mostOfOne)
    throw new Refusal('RATE_LIMITED', 'Your other messages are still being answered. Wait for one of them', {
      details: { reason: 'VISITOR_TURN_LIMIT' },
      retryAfter: 5,
    });
  if (grant.visitor.kind === 'guest' && guests >= mostAtOnce)
    throw new Refusal('RATE_LIMITED', 'Many people are here at the moment. Try again in a few seconds', {
      details: { reason: 'GUEST_TURN_LIMIT' },
      retryAfter: 5,
    });
  await refuseGuest(db, grant, now);
}

/** What a turn of a guest is held against, besides the budget of the organization. */
export function capOfGuests({ visitor, study }: Grant): Purpose['guests'] {
  if (visitor.kind !== 'guest') return undefined;
  return { studyId: study.id, capMicros: study.guestExecution.dailyCreditCap * microsPerCredit };
}
