import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf, StreamEvent } from '../../contract/operation.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import type * as turns from '../../platform/database/queries/chat-turns.ts';
import { EventQueue } from '../base/event-queue.ts';
import { noChatSession } from '../base/refusals.ts';
import { enterProject } from '../context/access.ts';
import type { Context, ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { limitsOf } from '../limits/plan.ts';
import { beginTurn } from './begin.ts';
import type { Sent } from './config.ts';
import { finishTurn, type Turn, type TurnOptions } from './finish-turn.ts';
import { watcherFor } from './watcher.ts';

type ChatEvent =
  OutputOf<Operations['streamChatMessage']> extends AsyncIterable<StreamEvent<infer Event>> ? Event : never;

/** Time limit of a turn, in milliseconds. */
const turnTimeout = 180_000;

export const sendChatMessage: Verb<'sendChatMessage'> = async (context, { body }) => {
  const entered = await enter(context, body);
  const begun = await beginTurn(entered, body);
  return begun.kind === 'replayed'
    ? replayed(begun)
    : finishTurn(entered, begun, body, await turnOptions(entered));
};

/** A refusal before the turn begins is a plain error response, not an event. */
export const streamChatMessage: Verb<'streamChatMessage'> = async (context, { body }) => {
  const entered = await enter(context, body);
  const begun = await beginTurn(entered, body);
  return new EventQueue<ChatEvent>(async (emit) => {
    if (begun.kind === 'replayed') return { type: 'turn.ended', turn: replayed(begun) };
    const { session, turn } = begun;
    emit({ type: 'turn.started', sessionId: session.id, turnId: turn.id, at: turn.startedAt });
    try {
      return {
        type: 'turn.ended',
        turn: await finishTurn(entered, begun, body, {
          ...(await turnOptions(entered)),
          watcher: watcherFor(emit),
        }),
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { type: 'turn.failed', ...error.toBody() };
    }
  }).read();
};

/** The plan limits the organization's concurrent turns. */
async function turnOptions(context: ProjectContext): Promise<TurnOptions> {
  const { id } = context.actor.organization;
  const { limits } = await limitsOf(context, id);
  const permits = limits['concurrentChatTurns'] ?? null;
  return {
    timeoutMs: turnTimeout,
    limit: permits === null ? undefined : { pool: `chat turns of ${id}`, permits, noun: 'chat turns' },
  };
}

/** The project of the continued or new session. Refuses callers without access to it. */
async function enter(context: Context, sent: Sent): Promise<ProjectContext> {
  const { db, actor } = context;
  const owner = { organizationId: actor.organization.id, userId: actor.user.id };
  const known =
    sent.sessionId === undefined ? undefined : await db.row(sessions.find, { ...owner, id: sent.sessionId });
  if (sent.sessionId !== undefined && !known) throw noChatSession();
  const projectId = known?.projectId ?? sent.projectId;
  if (projectId === undefined)
    throw new Refusal('VALIDATION_ERROR', 'projectId: Required to start a session');
  return enterProject(context, projectId);
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
