import { Refusal } from '../../contract/errors.ts';
import { utcDay } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import type { Grant } from '../context/context.ts';
import { guestCapReached, microsPerCredit } from '../limits/spend-cap.ts';
import type { Purpose } from '../model-calls/ledger.ts';

/** Concurrent turns: of all guests of a study, and of one visitor. */
const maxAtOnce = 16;
const maxOfOne = 3;

/** Refuses guests any use of servers if guest access is turned off. */
export function refuseDisabled({ visitor, study }: Pick<Grant, 'visitor' | 'study'>): void {
  if (visitor.kind !== 'guest' || study.guestExecution.enabled) return;
  throw new Refusal('FORBIDDEN', 'Guests cannot chat in this study right now', {
    details: { reason: 'GUESTS_DISABLED' },
  });
}

/** Refuses a guest who may not chat now. Other visitors are bounded by the limits of the organization only. */
export async function refuseGuest(db: Db, { visitor, study }: Grant, now: number): Promise<void> {
  if (visitor.kind !== 'guest') return;
  refuseDisabled({ visitor, study });
  const { dailyCreditCap } = study.guestExecution;
  const { micros = 0 } = (await db.row(sessions.spent, { studyId: study.id, day: utcDay(now) })) ?? {};
  if (micros >= dailyCreditCap * microsPerCredit) throw guestCapReached(now);
}

/**
 * Checks the concurrency limits in the transaction that begins a turn. The limit per visitor keeps one visitor, whose
 * turns may wait minutes for approval, from blocking the others.
 */
export async function refuseTurn(db: Db, grant: Grant, now: number): Promise<void> {
  const studyId = grant.study.id;
  await db.row(sessions.lockTurnStarts, { studyId });
  const { own, guests } = await db.one(sessions.running, { studyId, visitorId: grant.visitor.id });
  if (own >= maxOfOne)
    throw new Refusal(
      'RATE_LIMITED',
      'Your other messages are still being answered. Wait for one to finish',
      {
        details: { reason: 'VISITOR_TURN_LIMIT' },
        retryAfter: 5,
      },
    );
  if (grant.visitor.kind === 'guest' && guests >= maxAtOnce)
    throw new Refusal('RATE_LIMITED', 'Too many people are chatting right now. Try again in a few seconds', {
      details: { reason: 'GUEST_TURN_LIMIT' },
      retryAfter: 5,
    });
  await refuseGuest(db, grant, now);
}

/** The daily cap of guests, in addition to the organization's budget. */
export function capOfGuests({ visitor, study }: Grant): Purpose['guests'] {
  if (visitor.kind !== 'guest') return undefined;
  return { studyId: study.id, capMicros: study.guestExecution.dailyCreditCap * microsPerCredit };
}
