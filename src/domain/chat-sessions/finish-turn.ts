import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import { redact } from '../../platform/log.ts';
import { presentTurnBrowser } from '../browser-sessions/turn-browser.ts';
import type { ProjectContext } from '../context/context.ts';
import { type Semaphore, withPermit } from '../limits/semaphore.ts';
import { type Begun, lease } from './begin.ts';
import type { Sent } from './config.ts';
import { executeTurn, type RanTurn, type TurnHooks, type Watcher } from './run-turn.ts';
import { failTurn, type Persisted, storeTurn, usageOf } from './store.ts';
import { shownCalls } from './transcript.ts';

export type Turn = OutputOf<Operations['sendChatMessage']>;

export interface TurnOptions {
  /** Time limit of a turn, in milliseconds. */
  timeoutMs: number;
  /** Undefined: no limit on concurrent turns. */
  semaphore: Semaphore | undefined;
  watcher?: Watcher | undefined;
  hooks?: TurnHooks | undefined;
  /** Runs in the transaction that stores the turn or its failure. */
  noted?: ((db: Db, ran: RanTurn | undefined, failure: Refusal | undefined) => Promise<void>) | undefined;
}

/** Runs a turn that has begun, and stores its result. */
export async function finishTurn(
  context: ProjectContext,
  begun: Begun,
  sent: Sent,
  { timeoutMs, semaphore, watcher, hooks, noted }: TurnOptions,
): Promise<Turn> {
  const { db } = context;
  const { id, leaseToken } = begun.turn;
  const late = timeoutSignal(timeoutMs);
  const signal = AbortSignal.any([late, context.callerGone()]);
  const extending = setInterval(() => {
    // A failed renewal is retried at the next interval.
    db.run(turns.extend, { id, leaseToken, lease }).catch(() => {});
  }, lease / 3);
  let ran: RanTurn | undefined;
  try {
    const run = async (): Promise<Turn> => {
      ran = await executeTurn(context, begun, sent, signal, watcher, hooks);
      if (ran.failure) throw ran.failure;
      return answerOf(context, begun, await stored(context, begun, sent, ran, noted), ran);
    };
    return await (semaphore ? withPermit(context, semaphore, run) : run());
  } catch (error) {
    const failure = signal.aborted ? givenUp(id, signal, late, timeoutMs) : asRefusal(context, error, id);
    await failTurn(context, begun, failure.message, noted && ((trx) => noted(trx, ran, failure))).catch(
      () => {
        // If storing the failure fails, the lease expires and frees the session.
      },
    );
    throw failure;
  } finally {
    clearInterval(extending);
  }
}

function givenUp(turnId: string, signal: AbortSignal, late: AbortSignal, timeoutMs: number): Refusal {
  const { reason } = signal;
  if (reason instanceof Refusal)
    return new Refusal(reason.code, reason.message, { details: { ...reason.details, turnId } });
  const message = late.aborted ? `The turn took longer than ${timeoutMs / 1000} s` : 'The caller hung up';
  return new Refusal('TIMEOUT', message, { details: { reason: 'TURN_TIMEOUT', turnId } });
}

/** Any error but a refusal is a bug or an outage: the details go to the log, and the caller gets the request ID. */
function asRefusal({ log, requestId }: ProjectContext, error: unknown, turnId: string): Refusal {
  if (error instanceof Refusal) return error;
  const message = redact(error instanceof Error ? error.message : String(error));
  log.error('Chat turn failed', { requestId, turnId, error: message });
  return new Refusal(
    'INTERNAL_ERROR',
    `Internal error. Try again; if it persists, give the operator the request ID ${requestId}`,
    {
      details: { reason: 'TURN_FAILED', turnId },
    },
  );
}

/** A failure to store the transcript does not fail the turn, which has already run. */
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
    context.log.error('Chat turn could not be stored', {
      requestId: context.requestId,
      turnId: begun.turn.id,
      error: message,
    });
    await failTurn(context, begun, 'The turn could not be stored').catch(() => {
      // If this fails too, the lease expires and frees the session.
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

/** The turn is stored by now, so an error here only omits the browser observations; the trace has them. */
async function seen(
  context: ProjectContext,
  turnId: string,
  browser: NonNullable<RanTurn['browser']>,
): Promise<Pick<Turn, 'browser'>> {
  const shown = await presentTurnBrowser(context, turnId, browser).catch(() => undefined);
  return shown ? { browser: shown } : {};
}
