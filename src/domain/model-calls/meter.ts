import { setTimeout as delay } from 'node:timers/promises';
import { outputTokenLimit } from '../../models/connect.ts';
import { costMicros, maxMicros, sizedMicros } from '../../models/cost.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import { type Log, redact } from '../../platform/log.ts';
import { type CallLedger, type Purpose, reservedFor } from './ledger.ts';
import type { CallEnd, Meter } from './metered-model.ts';

/** Number and cost of the calls of one `OpenModel`, in millionths of a dollar. */
export interface Spending {
  calls: number;
  /** Undefined if any call had an unknown cost. */
  costMicros: number | undefined;
  /** Billed to this deployment's keys. */
  billedMicros: number;
}

/** Milliseconds a call billed here continues after its caller has gone. */
const graceTime = 120_000;

interface Metering {
  ledger: CallLedger;
  log: Log;
  /** The run or session that calls the model. */
  caller: { organizationId: string; projectId: string; runId: string | null; trialId: string | null };
  purpose: Purpose;
  route: ModelRoute;
  spending: Spending;
  /** Passes the result on, and records an error as internal. */
  noteTrouble: <T>(work: Promise<T>) => Promise<T>;
}

/** Logs each call. If the operator pays, reserves the maximum cost before it and books the actual cost after it. */
export function meterOf({ ledger, log, caller, purpose, route, spending, noteTrouble }: Metering): Meter {
  const { prices, billed } = route;
  const made = { ...caller, model: route.id };
  const note = (costOfCall: number | undefined, booked: number): void => {
    if (costOfCall === undefined) spending.costMicros = undefined;
    else if (spending.costMicros !== undefined) spending.costMicros += costOfCall;
    spending.billedMicros += booked;
  };
  // An open row means that the call may have been billed; a leftover reservation is settled when it expires.
  const unwritten = (error: Error): void =>
    log.warn('End of a model call could not be stored', { error: redact(error.message) });
  const costOfCall = ({ usage, failure }: CallEnd): number | undefined =>
    failure ? undefined : costMicros(usage, prices);

  if (billed !== 'operator')
    return {
      abandonedTimeout: 0,
      begin: async () => {
        const id = await noteTrouble(ledger.open({ ...made, billed }));
        return async (end) => {
          const micros = costOfCall(end);
          if (!end.failure || end.failure.kind === 'aborted') note(micros, 0);
          // An aborted call may have been billed, so its row stays open.
          if (end.failure?.kind === 'aborted') return;
          void ledger.close(id, end.failure?.kind ?? 'answered', end.usage, micros).catch(unwritten);
        };
      },
    };
  return {
    abandonedTimeout: graceTime,
    begin: async (inputBytes, maxOutputTokens) => {
      const micros = prices && maxMicros(inputBytes, outputTokenLimit(maxOutputTokens, route), prices);
      const inputMicros = prices ? sizedMicros({ input: inputBytes, output: 0 }, prices) : 0;
      const reservation = await noteTrouble(ledger.reserve({ ...made, purpose, micros, inputMicros }));
      const extending = setInterval(() => void ledger.extend(reservation).catch(() => {}), reservedFor / 3);
      extending.unref();
      return async (end) => {
        clearInterval(extending);
        const known = costOfCall(end);
        const booked = known ?? bookedFor(end, route, micros ?? 0);
        if (!end.failure || booked > 0) note(known, booked);
        const settle = (): Promise<void> =>
          ledger.settle(reservation, {
            outcome: end.failure?.kind ?? 'answered',
            usage: end.usage,
            costMicros: known ?? (booked > 0 ? booked : undefined),
            bookedMicros: booked,
          });
        const settled = settle().catch((error: Error) => {
          unwritten(error);
          // Does not wait for the database. A call settled as lost meanwhile is corrected.
          void untilWritten(settle, unwritten);
        });
        if (reservation.awaited) await settled;
      };
    },
  };
}

/** Retry interval and time limit for booking a cost, in milliseconds. */
const settleAgainAfter = 2_000;
const settleWithin = 15 * 60_000;

async function untilWritten(settle: () => Promise<void>, unwritten: (error: Error) => void): Promise<void> {
  const until = performance.now() + settleWithin;
  let last: Error | undefined;
  while (performance.now() < until) {
    // `ref: false`, so that the timer does not keep the process alive.
    await delay(settleAgainAfter, undefined, { ref: false });
    try {
      return await settle();
    } catch (error) {
      last = error as Error;
    }
  }
  if (last) unwritten(last);
}

/** Cost to book, in millionths of a dollar, if the provider did not report usage. */
function bookedFor({ failure, size }: CallEnd, { prices }: ModelRoute, reservedMicros: number): number {
  if (!prices) return 0;
  if (!failure) return sizedMicros(size, prices);
  // The provider may have generated up to the limit, so the maximum is booked.
  const brokeOff = failure.kind === 'network' && failure.status !== undefined && failure.status < 300;
  const tooLarge = failure.kind === 'too-large' && failure.status === undefined;
  if (failure.kind === 'aborted' || (brokeOff && size.output === 0) || tooLarge) return reservedMicros;
  const wasAnswered = size.output > 0 || (failure.kind === 'malformed' && (failure.status ?? 200) < 300);
  // If the provider had the request when the connection ended, it may have begun to answer.
  const wasRead = failure.kind === 'network' && !failure.notSent;
  return wasAnswered || brokeOff || wasRead ? sizedMicros(size, prices) : 0;
}
