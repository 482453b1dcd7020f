import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf, StreamEvent } from '../../contract/operation.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { redact } from '../../platform/log.ts';
import { projectOf } from '../access.ts';
import { presentTurnBrowser } from '../browser-sessions/turn-browser.ts';
import type { Context, ProjectContext } from '../context.ts';
import { handedOn } from '../handed-on.ts';
import type { Verb } from '../verb.ts';
import { type Begun, beginTurn, lease, noSession } from './begin.ts';
import type { Sent } from './config.ts';
import { carryOut, type RanTurn, type Watcher } from './run-turn.ts';
import { failTurn, type Persisted, storeTurn, usageOf } from './store.ts';
import { shownCalls } from './transcript.ts';

type Turn = OutputOf<Operations['sendChatMessage']>;
type ChatEvent =
  OutputOf<Operations['streamChatMessage']> extends AsyncIterable<StreamEvent<infer Event>> ? Event : never;

/** Milliseconds for a whole turn. */
const longest = 180_000;
/** Turns of one organization at once, in one process. */
const mostAtOnce = 64;
const atOnce = new Map<string, number>();

export const sendChatMessage: Verb<'sendChatMessage'> = async (context, { body }) => {
  const entered = await enter(context, body);
  const begun = await beginTurn(entered, body);
  return begun.kind === 'replayed' ? replayed(begun) : finish(entered, begun, body);
};

/** What is refused before the turn begins is an answer of its own. */
export const streamChatMessage: Verb<'streamChatMessage'> = async (context, { body }) => {
  const entered = await enter(context, body);
  const begun = await beginTurn(entered, body);
  return handedOn<ChatEvent>(async (tell) => {
    if (begun.kind === 'replayed') return { type: 'turn.ended', turn: replayed(begun) };
    const { session, turn } = begun;
    tell({ type: 'turn.started', sessionId: session.id, turnId: turn.id, at: turn.startedAt });
    try {
      return { type: 'turn.ended', turn: await finish(entered, begun, body, tellingOf(tell)) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { type: 'turn.failed', ...error.toBody() };
    }
  });
};

/** The project of the session that goes on, or of the one that is started; who may not see it is refused. */
async function enter(context: Context, sent: Sent): Promise<ProjectContext> {
  const { db, actor } = context;
  const owner = { organizationId: actor.organization.id, userId: actor.user.id };
  const known =
    sent.sessionId === undefined ? undefined : await db.row(sessions.find, { ...owner, id: sent.sessionId });
  if (sent.sessionId !== undefined && !known) throw noSession();
  const projectId = known?.projectId ?? sent.projectId;
  if (projectId === undefined) throw new Refusal('VALIDATION_ERROR', 'projectId: Needed to start a session');
  const project = await projectOf(context, projectId);
  return Object.assign(context, { project });
}

async function finish(context: ProjectContext, begun: Begun, sent: Sent, watcher?: Watcher): Promise<Turn> {
  const { db } = context;
  const { id, leaseToken } = begun.turn;
  const late = AbortSignal.timeout(longest);
  const signal = AbortSignal.any([late, context.callerGone()]);
  const extending = setInterval(() => {
    // The next one tries again.
    db.run(turns.extend, { id, leaseToken, lease }).catch(() => {});
  }, lease / 3);
  let leave = (): void => {};
  let micros = 0;
  try {
    leave = takePlace(context);
    const ran = await carryOut(context, begun, sent, signal, watcher);
    micros = ran.asked.spending.billedMicros;
    if (ran.failure) throw ran.failure;
    return await answerOf(context, begun, await stored(context, begun, sent, ran), ran);
  } catch (error) {
    const failure = signal.aborted ? givenUp(id, late) : asRefusal(context, error, id);
    await failTurn(context, begun, failure.message, micros).catch(() => {
      // Its lease runs out.
    });
    throw failure;
  } finally {
    clearInterval(extending);
    leave();
  }
}

function givenUp(turnId: string, late: AbortSignal): Refusal {
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
async function stored(context: ProjectContext, begun: Begun, sent: Sent, ran: RanTurn): Promise<Persisted> {
  try {
    return await storeTurn(context, begun, sent, ran);
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

function takePlace({ actor }: ProjectContext): () => void {
  const { id } = actor.organization;
  const busy = atOnce.get(id) ?? 0;
  if (busy >= mostAtOnce)
    throw new Refusal('RATE_LIMITED', `At most ${mostAtOnce} turns run at once. Try again in a moment`, {
      details: { reason: 'CONCURRENT_TURN_LIMIT' },
      retryAfter: 2,
    });
  atOnce.set(id, busy + 1);
  return () => {
    const left = (atOnce.get(id) ?? 1) - 1;
    if (left > 0) atOnce.set(id, left);
    else atOnce.delete(id);
  };
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

function replayed({ session, turn }: { session: sessions.SessionRow; turn: turns.TurnRow }): Turn {
  return {
    sessionId: session.id,
    chatSessionId: session.id,
    turnId: turn.id,
    projectId: session.projectId,
    persisted: { outcome: 'duplicate' },
    origin: 'api',
    replay: true,
  };
}

function tellingOf(tell: (event: ChatEvent) => void): Watcher {
  return {
    text: (text) => {
      if (text !== '') tell({ type: 'text', text });
    },
    restart: () => tell({ type: 'text.restarted' }),
    toolStarted: (call) => tell({ type: 'tool.started', ...call }),
    toolEnded: ({ ok, ...call }) => tell({ type: 'tool.ended', ...call, status: ok ? 'ok' : 'error' }),
  };
}
