import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { redact } from '../../platform/log.ts';
import { timeLimit } from '../../platform/time-limit.ts';
import { presentTurnBrowser } from '../browser-sessions/turn-browser.ts';
import type { ProjectContext } from '../context.ts';
import { type Begun, lease } from './begin.ts';
import type { Sent } from './config.ts';
import { type Attendant, carryOut, type RanTurn, type Watcher } from './run-turn.ts';
import { failTurn, type Persisted, storeTurn, usageOf } from './store.ts';
import { shownCalls } from './transcript.ts';

export type Turn = OutputOf<Operations['sendChatMessage']>;

export interface TurnOptions {
  /** Milliseconds for a whole turn. */
  longest: number;
  places: Places;
  watcher?: Watcher | undefined;
  attendant?: Attendant | undefined;
  /** In the transaction that stores the turn, or that it failed. */
  noted?: ((db: Db, ran: RanTurn | undefined, failure: Refusal | undefined) => Promise<void>) | undefined;
}

/** How many turns run at once in this process, for each of those that pay for them. */
export class Places {
  private readonly most: number;
  private readonly payerOf: (context: ProjectContext) => string;
  private readonly busy = new Map<string, number>();

  constructor(most: number, payerOf: (context: ProjectContext) => string) {
    this.most = most;
    this.payerOf = payerOf;
  }

  /** Gives back how to leave it. */
  take(context: ProjectContext): () => void {
    const { busy, most } = this;
    const payer = this.payerOf(context);
    const taken = busy.get(payer) ?? 0;
    if (taken >= most)
      throw new Refusal('RATE_LIMITED', `At most ${most} turns run at once. Try again in a moment`, {
        details: { reason: 'CONCURRENT_TURN_LIMIT' },
        retryAfter: 2,
      });
    busy.set(payer, taken + 1);
    return () => {
      const left = (busy.get(payer) ?? 1) - 1;
      if (left > 0) busy.set(payer, left);
      else busy.delete(payer);
    };
  }
}

/** Runs a turn that was begun, and stores what came of it. */
export async function finishTurn(
  context: ProjectContext,
  begun: Begun,
  sent: Sent,
  { longest, places, watcher, attendant, noted }: TurnOptions,
): Promise<Turn> {
  const { db } = context;
  const { id, leaseToken } = begun.turn;
  const late = timeLimit(longest);
  const signal = AbortSignal.any([late, context.callerGone()]);
  const extending = setInterval(() => {
    // The next one tries again.
    db.run(turns.extend, { id, leaseToken, lease }).catch(() => {});
  }, lease / 3);
  let leave = (): void => {};
  let ran: RanTurn | undefined;
  try {
    leave = places.take(context);
    ran = await carryOut(context, begun, sent, signal, watcher, attendant);
    if (ran.failure) throw ran.failure;
    return await answerOf(context, begun, await stored(context, begun, sent, ran, noted), ran);
  } catch (error) {
    const failure = signal.aborted ? givenUp(id, late, longest) : asRefusal(context, error, id);
    const { billedMicros = 0 } = ran?.asked.spending ?? {};
    await failTurn(
      context,
      begun,
      failure.message,
      billedMicros,
      noted && ((trx) => noted(trx, ran, failure)),
    ).catch(() => {
      // Its lease runs out.
    });
    throw failure;
  } finally {
    clearInterval(extending);
    leave();
  }
}

function givenUp(turnId: string, late: AbortSignal, longest: number): Refusal {
  const message = late.aborted ? `The turn took longer than ${longest / 1000} s` : 'The caller hung up';
  return new Refusal('TIMEOUT', message, { details: { reason: 'TURN_TIMEOUT', turnId } });
}

/** What is no refusal is a fault of ours, and nobody's business but the operator's. */
function asRefusal({ log, requestId }: ProjectContext, error: unknown, turnId: string): Refusal {
  if (error instanceof Refusal) return error;
  const message = redact(error instanceof Error ? error.message : String(error));
  log.error('A chat turn broke off', { requestId, turnId, error: message });
  return new Refusal('INTERNAL_ERROR', `Something failed on our side. The request id is ${requestId}`, {
    details: { reason: 'TURN_FAILED', turnId },
  });
}

/** The turn has run, whatever becomes of its transcript. */
async function stored(
  context: ProjectContext,
  begun: Begun,
  sent: Sent,
  ran: RanTurn,
  noted: TurnOptions['noted'],
): Promise<Persisted> {
  try {
    return await storeTurn(context, begun, sent, ran, noted && ((trx) => noted(trx, ran, undefined)));
  } catch (error) {
    const message = redact(error instanceof Error ? error.message : String(error));
    context.log.error('A chat turn was not stored', {
      requestId: context.requestId,
      turnId: begun.turn.id,
      error: message,
    });
    const { billedMicros } = ran.asked.spending;
    await failTurn(context, begun, 'The turn could not be stored', billedMicros).catch(() => {
      // Its lease runs out.
    });
    return { outcome: 'failed' };
  }
}

async function answerOf(
  context: ProjectContext,
  { session, turn, config }: Begun,
  persisted: Persisted,
  { outcome, offer, spans, hostId, browser }: RanTurn,
): Promise<Turn> {
  const sessionId = persisted.outcome === 'failed' ? null : session.id;
  return {
    sessionId,
    chatSessionId: session.id,
    turnId: turn.id,
    projectId: session.projectId,
    persisted,
    origin: 'api',
    reply: outcome.text,
    finishReason: outcome.finish,
    toolCalls: shownCalls(outcome, offer.box),
    trace: { turnId: turn.id, spanCount: spans.list.length, spans: spans.list.slice(0, 500) },
    usage: usageOf(outcome.usage),
    model: { id: config.modelId, provider: config.provider },
    toolMode: config.toolMode,
    engine: 'emulated',
    ...(hostId !== undefined && { hostId }),
    advertisedToolCount: offer.advertised,
    excludedToolCount: offer.excluded,
    ...(browser && (await seen(context, turn.id, browser))),
  };
}

/** The turn is stored by now: what its browser showed is read again with the trace, should it fail here. */
async function seen(
  context: ProjectContext,
  turnId: string,
  browser: NonNullable<RanTurn['browser']>,
): Promise<Pick<Turn, 'browser'>> {
  const shown = await presentTurnBrowser(context, turnId, browser).catch(() => undefined);
  return shown ? { browser: shown } : {};
}
