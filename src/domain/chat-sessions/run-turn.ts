import { Refusal } from '../../contract/errors.ts';
import { ModelFailure } from '../../models/failure.ts';
import type { TurnMessage } from '../../models/messages.ts';
import { runTurn, type TurnOutcome } from '../../models/turn.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { recordTurn } from '../../trials/record-turn.ts';
import { Spans } from '../../trials/spans.ts';
import type { CallAnswer } from '../../trials/tools.ts';
import { conflict } from '../base/refusals.ts';
import { attachBrowser, noteSteps, type TurnBrowser } from '../browser-sessions/turn-browser.ts';
import type { ProjectContext } from '../context/context.ts';
import { SpendCapReached } from '../limits/spend-cap.ts';
import type { Purpose } from '../model-calls/ledger.ts';
import { type OpenModel, openModel } from '../model-calls/open-model.ts';
import { partsForRequest } from '../model-calls/request-parts.ts';
import type { Begun } from './begin.ts';
import type { Sent } from './config.ts';
import { notCalled, type Offer, offerTools } from './offer.ts';
import { targetOf } from './target.ts';
import { type KeptAnswer, keepingAnswers, lengthOf, maxHistory } from './transcript.ts';

const defaultSteps = 8;
/** Tokens per answer to a guest: all guests share one daily budget. */
const maxTokensForGuests = 8_192;
/** The answer the model gets for a call the user did not approve. */
export const notAllowed = 'Not called: the user declined this call.';

/** Receives progress events during a turn. */
export interface Watcher {
  text: (text: string) => void;
  restart: () => void;
  toolStarted: (call: { toolCallId: string; toolName: string; input: unknown }) => void;
  toolEnded: (call: { toolCallId: string; toolName: string; ok: boolean; durationMs: number }) => void;
}

/** Optional hooks and limits of a turn. */
export interface TurnHooks {
  /** Decides whether a tool call may be made. */
  approve?: (call: AskedCall, signal: AbortSignal) => Promise<boolean>;
  /** Receives each server answer before it is truncated. */
  answered?: (call: AskedCall, answer: CallAnswer) => void;
  /** Whether to offer the skills of the environment. */
  skills: boolean;
  /** An additional spending cap, shared by all guests. */
  guests?: Purpose['guests'];
}

export interface AskedCall {
  toolCallId: string;
  toolName: string;
  input: Record<string, unknown>;
}

/** A turn that has run, but is not stored yet. */
export interface RanTurn {
  outcome: TurnOutcome<KeptAnswer>;
  offer: Offer;
  spans: Spans;
  hostId: string | undefined;
  model: OpenModel;
  browser: TurnBrowser | undefined;
  /** Why there is no reply. */
  failure?: Error;
}

/** Runs a turn from connecting to its end. Rejects if it ends before the model is called. */
export async function executeTurn(
  context: ProjectContext,
  begun: Begun,
  sent: Sent,
  signal: AbortSignal,
  watcher?: Watcher,
  hooks?: TurnHooks,
): Promise<RanTurn> {
  const { session, config, turn } = begun;
  const history = await historyOf(context, session.id);
  const found = await targetOf(context, config, sent, signal, hooks !== undefined);
  const target = hooks?.skills === false ? { ...found, skills: [] } : found;
  const browser =
    sent.browser &&
    (await attachBrowser(context, session, turn.id, sent.browser, { ...target, toolMode: config.toolMode }));
  const offer = offerTools(target, config, sent, browser?.tools ?? []);
  const asker = {
    id: session.id,
    organizationId: session.organizationId,
    projectId: session.projectId,
    apiKeys: {},
    purpose: {
      reason: `chat turn ${turn.id}`,
      actor: context.actor.user.id,
      guests: hooks?.guests,
    },
  };
  const variant = { model: config.modelId, provider: config.provider };
  const model = await openModel(
    partsForRequest(context, asker.organizationId),
    asker,
    turn.id,
    variant,
  ).catch((error: Error) => {
    throw failed(error, turn.id);
  });
  const started = context.clock();
  let marked: Promise<void> | undefined;
  // Internal errors, kept here because the loop would attribute them to the model.
  let trouble: Error | undefined;
  const kept = keepingAnswers();
  const asks = [...history, { role: 'user' as const, content: sent.message }];
  const outcome = await runTurn<KeptAnswer>({
    // From the first model call on, the turn may cost money, so it is marked as called beforehand.
    model: {
      modelId: model.modelId,
      generate: async (call, reader) => {
        marked ??= markCalled(context, begun).catch((error: Error) => {
          trouble = error;
          throw error;
        });
        await marked;
        return model.generate(call, reader);
      },
    },
    history: asks,
    system: target.systemPrompt,
    temperature: target.temperature,
    ...(hooks?.guests && { maxOutputTokens: maxTokensForGuests }),
    tools: offer.box.offered,
    stepLimit: sent.maxSteps ?? defaultSteps,
    callTool: async ({ id, name, input, signal: ends }) => {
      const { toolName, serverId } = offer.box.nameOf(name);
      const call = { toolCallId: id, toolName, input };
      const ofServer = serverId !== undefined;
      if (ofServer && hooks?.approve && !(await hooks.approve(call, ends)))
        return kept(notCalled(offer.box, name, notAllowed));
      const began = performance.now();
      watcher?.toolStarted(call);
      const answer = await offer.box.call(name, input, ends, id);
      const durationMs = Math.round(performance.now() - began);
      watcher?.toolEnded({ toolCallId: id, toolName, ok: !answer.isError, durationMs });
      if (ofServer) hooks?.answered?.(call, answer);
      return kept(answer);
    },
    reader: watcher,
    signal,
    clock: context.clock,
  });
  // If assigning pictures to steps fails, the pictures are still kept.
  if (browser) await noteSteps(context, turn.id, browser, outcome.steps).catch(() => {});
  const spans = new Spans(started);
  recordTurn({ box: offer.box, spans, modelId: model.modelId }, outcome, {
    promptIndex: turn.promptIndex,
    stepId: turn.id,
  });
  const failure = outcome.error && failed(trouble ?? model.trouble ?? outcome.error, turn.id);
  return {
    outcome,
    offer,
    spans,
    hostId: target.hostId,
    model,
    browser,
    ...(failure && { failure }),
  };
}

async function historyOf({ db }: ProjectContext, sessionId: string): Promise<TurnMessage[]> {
  const rows = await db.rows(sessions.messagesFrom, { sessionId, from: 0, most: 2_500 });
  if (lengthOf(rows) > maxHistory)
    throw conflict('The session is too long for a model. Start a new one', 'SESSION_FULL');
  return rows.map(({ role, content }) => ({ role, content }) as TurnMessage);
}

async function markCalled({ db }: ProjectContext, { turn, config }: Begun): Promise<void> {
  const { id, leaseToken } = turn;
  const ours = await db.run(turns.callsModel, { id, leaseToken, modelId: config.modelId });
  if (ours === 0)
    throw conflict(
      'Another request continued this session. Reload it and resend',
      'SESSION_VERSION_CONFLICT',
    );
}

function failed(error: Error, turnId: string): Error {
  if (error instanceof SpendCapReached) return error.refusal;
  if (!(error instanceof ModelFailure)) return error;
  const { kind, message } = error;
  return new Refusal('INTERNAL_ERROR', `The model request failed: ${message}`, {
    details: { reason: 'TURN_FAILED', turnId, kind },
  });
}
