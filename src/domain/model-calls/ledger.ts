import type { ModelRoute } from '../../models/resolve.ts';
import type { Usage } from '../../models/usage.ts';
import { Batch } from '../../platform/batch.ts';
import { type Clock, utcDay } from '../../platform/clock.ts';
import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import * as ledger from '../../platform/database/queries/ledger.ts';
import * as calls from '../../platform/database/queries/model-calls.ts';
import * as reservations from '../../platform/database/queries/spend-reservations.ts';
import { newId } from '../../platform/ids.ts';
import { periodOf } from '../limits/spend.ts';
import {
  budgetReached,
  guestCapReached,
  isSpent,
  priceUnknown,
  SpendCapReached,
} from '../limits/spend-cap.ts';

/** The reason for a call, and on whose behalf it is made. */
export interface Purpose {
  reason: string;
  actor: string;
  /** Set for guests of a study, who share a daily cap. */
  guests?: { studyId: string; capMicros: number } | undefined;
}

interface MadeCall {
  organizationId: string;
  projectId: string;
  runId: string | null;
  trialId: string | null;
  model: string;
}

/** A call billed here: its maximum cost, and the approximate cost of its input alone. */
interface PaidCall extends MadeCall {
  /** Undefined: the model has no price. */
  micros: number | undefined;
  inputMicros: number;
  purpose: Purpose;
}

/** Amount set aside for a call until its cost is booked. */
interface Reservation {
  id: string;
  organizationId: string;
  period: string;
  studyId: string | null;
  day: string | null;
  reason: string;
  actor: string;
  /**
   * The caller, or a call waiting for room under a cap, waits for the settlement, so it is not batched with a delay.
   */
  awaited: boolean;
}

interface SettledCall {
  outcome: string;
  usage: Usage;
  /** The cost as far as known. */
  costMicros: number | undefined;
  bookedMicros: number;
}

type OpenCall = MadeCall & { id: string; billed: ModelRoute['billed'] };
type Settling = Parameters<typeof reservationRowOf>;

/** Milliseconds to batch the closing of calls, which no caller waits for. */
const closeWithin = 50;
/** Milliseconds a reservation lives without renewal. */
export const reservedFor = 60_000;

/**
 * Writes a row before each paid call and closes it afterwards; a row left open was interrupted and may have been
 * billed. If the operator pays, the cost is reserved with the row and booked when it closes, so that caps hold across
 * concurrent calls and processes. Rows of a process are written in batches.
 */
export class CallLedger {
  private readonly db: Db;
  private readonly clock: Clock;
  private readonly atOnce: boolean;
  private readonly opening: Batch<OpenCall>;
  private readonly closing: Batch<Parameters<typeof closedRowOf>>;
  private readonly reserving: Batch<{ call: OpenPaidCall; opened: boolean }>;
  private readonly settling: Batch<Settling>;
  private readonly settlingAtOnce: Batch<Settling>;

  /** `atOnce`: books each call when it is answered, instead of in delayed batches. */
  constructor(db: Db, clock: Clock, { atOnce = false } = {}) {
    this.db = db;
    this.clock = clock;
    this.atOnce = atOnce;
    this.opening = new Batch(async (items) => {
      await db.run(calls.open, byColumn(items));
    });
    this.closing = new Batch(
      async (items) => {
        await db.run(calls.close, byColumn(items.map((item) => closedRowOf(...item))));
      },
      { linger: closeWithin },
    );
    this.reserving = new Batch(async (items) => {
      const rows = await db.rows(reservations.open, {
        ...byColumn(items.map(({ call }) => call)),
        lease: reservedFor,
      });
      const ids = new Set(rows.map(({ id }) => id));
      for (const item of items) item.opened = ids.has(item.call.id);
    });
    const settle = (items: Settling[]): Promise<void> =>
      settleCalls(
        db,
        items.map((item) => reservationRowOf(...item)),
      );
    this.settling = new Batch(settle, { linger: closeWithin });
    this.settlingAtOnce = new Batch(settle);
  }

  /** Opens a call billed to others. */
  async open(call: Omit<OpenCall, 'id'>): Promise<string> {
    const id = newId('call');
    await this.opening.add({ id, ...call });
    return id;
  }

  close(id: string, outcome: string, usage: Usage, costMicros: number | undefined): Promise<void> {
    return this.closing.add([id, outcome, usage, costMicros]);
  }

  /** Opens a call billed here. Rejects with `SpendCapReached` if a cap leaves no room for it. */
  async reserve({ purpose, micros, ...made }: PaidCall): Promise<Reservation> {
    const now = this.clock();
    const { reason, actor, guests } = purpose;
    const call: OpenPaidCall = {
      id: newId('call'),
      ...made,
      micros: micros ?? 0,
      period: periodOf('credits', now),
      reason,
      actor,
    };
    const { id, organizationId, period } = call;
    const studyId = guests?.studyId ?? null;
    const day = guests ? utcDay(now) : null;
    const reservation = { id, organizationId, period, studyId, day, reason, actor };
    const item = { call, opened: false };
    if (!guests) await this.reserving.add(item);
    if (item.opened) return { ...reservation, awaited: this.atOnce };
    if (micros === undefined) throw new SpendCapReached(priceUnknown({ id: made.model }, now));
    await this.db.transaction(async (trx) => {
      await trx.row(ledger.lock, { organizationId, budget: 'credits' });
      const guestMicros = guests?.capMicros ?? null;
      const { admitted, guestSettled, guestAllowed, ...account } = await trx.one(reservations.admit, {
        ...call,
        studyId,
        day,
        guestMicros,
        lease: reservedFor,
      });
      if (admitted) return;
      if (isSpent(account)) throw new SpendCapReached(budgetReached(account, now));
      if (isSpent({ settled: guestSettled, allowed: guestAllowed }))
        throw new SpendCapReached(guestCapReached(now));
      const { settled, reserved, allowed } = account;
      const ofGuests = allowed === null || settled + reserved + call.micros <= allowed;
      throw new SpendCapReached(ofGuests ? guestCapReached(now) : budgetReached(account, now), true);
    });
    return { ...reservation, awaited: true };
  }

  /** Renews the reservation of a running call. */
  async extend({ organizationId, id }: Reservation): Promise<void> {
    await this.db.run(reservations.extend, { organizationId, id, lease: reservedFor });
  }

  settle(reservation: Reservation, end: SettledCall): Promise<void> {
    return (reservation.awaited ? this.settlingAtOnce : this.settling).add([reservation, end]);
  }

  /** Resolves when the ends of all calls so far are written. */
  async idle(): Promise<void> {
    await Promise.all([this.closing, this.settling, this.settlingAtOnce].map((batch) => batch.idle()));
  }
}

type OpenPaidCall = Omit<PaidCall, 'purpose' | 'micros'> & { micros: number } & Omit<Purpose, 'guests'> & {
    id: string;
    period: string;
  };

/** Settles reservations of dead processes: books the cost of the input and releases the rest. */
export async function settleLost(db: Db): Promise<void> {
  const lost = await db.rows(reservations.expired);
  await settleCalls(
    db,
    lost.map(({ inputMicros, ...reservation }) =>
      reservationRowOf(reservation, {
        outcome: 'lost',
        usage: {},
        costMicros: inputMicros,
        bookedMicros: inputMicros,
      }),
    ),
  );
}

async function settleCalls(db: Db, rows: ReturnType<typeof reservationRowOf>[]): Promise<void> {
  if (rows.length === 0) return;
  // Sorted, so that all settlers lock organizations in the same order.
  const organizations = [...new Set(rows.map(({ organizationId }) => organizationId))].sort();
  await db.transaction(async (trx) => {
    for (const organizationId of organizations)
      await trx.row(ledger.lock, { organizationId, budget: 'credits' });
    await trx.run(reservations.settle, byColumn(rows));
  });
}

function reservationRowOf(
  { id, organizationId, period, studyId, day, reason, actor }: Omit<Reservation, 'awaited'>,
  { outcome, usage, costMicros, bookedMicros }: SettledCall,
) {
  const { inputTokens = null, outputTokens = null } = usage;
  const known = { id, organizationId, period, studyId, day, reason, actor };
  return { ...known, outcome, inputTokens, outputTokens, costMicros: costMicros ?? null, bookedMicros };
}

function closedRowOf(id: string, outcome: string, usage: Usage, costMicros: number | undefined) {
  const { inputTokens = null, outputTokens = null } = usage;
  return { id, outcome, inputTokens, outputTokens, costMicros: costMicros ?? null };
}
