import { Refusal } from '../../contract/errors.ts';
import type { OutputOf, StreamEvent } from '../../contract/operation.ts';
import type { VisitOperations } from '../../contract/visit/index.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { EventQueue } from '../base/event-queue.ts';
import { conflict } from '../base/refusals.ts';
import { beginTurn, type TurnTerms } from '../chat-sessions/begin.ts';
import type { Sent, SessionConfig } from '../chat-sessions/config.ts';
import { finishTurn, type Turn, type TurnOptions } from '../chat-sessions/finish-turn.ts';
import type { TurnHooks } from '../chat-sessions/run-turn.ts';
import { watcherFor } from '../chat-sessions/watcher.ts';
import type { GrantContext, ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { type ResolvedComposition, resolveComposition } from '../environments/resolve-composition.ts';
import { accessEnded } from '../parts/access-watch.ts';
import { approvalTimeout, askVisitor } from './approvals.ts';
import { grantNow } from './grant.ts';
import { capOfGuests, refuseGuest, refuseTurn } from './guest-caps.ts';
import { inProject } from './in-project.ts';
import { VisitTurnRecorder } from './turn-recorder.ts';
import { forVisitor, withVisitorErrors } from './visitor-errors.ts';

type VisitEvent =
  OutputOf<VisitOperations['sendVisitMessage']> extends AsyncIterable<StreamEvent<infer Event>>
    ? Event
    : never;
type Emit = (event: VisitEvent) => void;

/** Milliseconds during which a visitor counts as new. */
const newFor = 3_600_000;

/** In milliseconds. Longer than for a chat turn, because the visitor may be asked for approval. */
const turnTimeout = 420_000;
/** Concurrent study turns per project. */
const maxTurns = 32;

export const sendVisitMessage: Verb<'sendVisitMessage'> = async (context, { body }) => {
  const gone = context.callerGone();
  const entered = inProject(context);
  const { composition, sent, begun } = await withVisitorErrors(() => beginVisitTurn(context, entered, body));
  return new EventQueue<VisitEvent>(async (emit) => {
    try {
      if (begun.kind === 'replayed') return replayed(begun);
      const { session, turn } = begun;
      emit({ type: 'turn.started', sessionId: session.id, turnId: turn.id, at: turn.startedAt });
      const kept = new VisitTurnRecorder();
      const done = await finishTurn(entered, begun, sent, {
        ...turnOptions(entered),
        watcher: watcherFor(emit),
        hooks: hooksFor(context, { sessionId: session.id, turnId: turn.id }, composition, kept, emit),
        noted: (db, ran, failure) => kept.note(db, context, begun, sent.message, ran, failure),
      });
      return presentTurn(done, composition, kept);
    } catch (error) {
      if (gone.reason instanceof Refusal) return { type: 'turn.failed', ...gone.reason.toBody() };
      if (!(error instanceof Refusal)) throw error;
      return { type: 'turn.failed', ...forVisitor(error).toBody() };
    }
  }).read();
};

async function beginVisitTurn(
  visit: GrantContext,
  project: ProjectContext,
  given: Pick<Sent, 'idempotencyKey' | 'message' | 'sessionId'>,
) {
  const { db, grant, clock } = visit;
  // Checked first, before any lookup.
  await refuseGuest(db, grant, clock());
  const { environmentId } = grant.study;
  const composition = await resolveComposition(db, {
    projectId: grant.project.id,
    environmentId,
    startedBy: grant.visitor.id,
  });
  const sent = sentFor(environmentId, composition, given);
  return { composition, sent, begun: await beginTurn(project, sent, termsOf(visit, composition)) };
}

function replayed(begun: { session: { id: string }; turn: { id: string } }): VisitEvent {
  const { id } = begun.session;
  return { type: 'turn.ended', sessionId: id, turnId: begun.turn.id, reply: '', calls: [], replay: true };
}

function turnOptions({ project }: ProjectContext): TurnOptions {
  return {
    timeoutMs: turnTimeout,
    semaphore: { pool: `visits of ${project.id}`, permits: maxTurns, noun: 'study conversations' },
  };
}

/** A new conversation uses the current environment; an existing one keeps its own. */
function sentFor(
  environmentId: string,
  { model }: ResolvedComposition,
  given: Pick<Sent, 'idempotencyKey' | 'message' | 'sessionId'>,
): Sent {
  if (given.sessionId !== undefined) return given;
  return { ...given, environmentId, modelId: model.id, toolMode: 'auto' };
}

function termsOf({ grant, clock }: GrantContext, { model }: ResolvedComposition): TurnTerms {
  const { visitor, study } = grant;
  const { environmentId } = study;
  return {
    origin: 'study',
    visitorId: visitor.id,
    admit: async (db, { config }) => {
      // Access may have ended before this process began to watch it.
      const now = await grantNow(db, grant);
      if (!now) throw accessEnded();
      if ((config as SessionConfig).environmentId !== now.study.environmentId)
        throw conflict('The study has changed. Start a new conversation', 'SESSION_ENDED');
      await refuseTurn(db, now, clock());
    },
    began: async (db, { id: sessionId }) => {
      const cameBack = clock() - visitor.createdAt > newFor;
      await db.run(sessions.insert, {
        sessionId,
        studyId: study.id,
        visitorId: visitor.id,
        environmentId,
        cameBack,
        modelId: model.id,
      });
    },
  };
}

function hooksFor(
  context: GrantContext,
  turn: { sessionId: string; turnId: string },
  { client }: ResolvedComposition,
  kept: VisitTurnRecorder,
  emit: Emit,
): TurnHooks {
  const { visitor, study } = context.grant;
  const asks = client.config['requireToolApproval'] === true;
  return {
    skills: visitor.kind !== 'guest' || study.guestExecution.sharedSkillsEnabled,
    guests: capOfGuests(context.grant),
    answered: (call, answer) => kept.answered(call, answer),
    ...(asks && {
      approve: async (call, signal) => {
        const { toolCallId } = call;
        const { turnId } = turn;
        const until = context.clock() + approvalTimeout;
        const asked = (): void => emit({ type: 'tool.asks', turnId, ...call, until });
        const approved = await kept.waiting(() =>
          askVisitor(context, { ...turn, toolCallId }, asked, signal),
        );
        if (!approved) kept.refused.add(toolCallId);
        return approved;
      },
    }),
  };
}

function presentTurn(turn: Turn, { servers }: ResolvedComposition, kept: VisitTurnRecorder): VisitEvent {
  const names = new Map(servers.map(({ id, name }) => [id, name]));
  return {
    type: 'turn.ended',
    sessionId: turn.sessionId,
    turnId: turn.turnId,
    reply: turn.reply ?? '',
    calls: (turn.toolCalls ?? []).map(({ serverId, truncated: _, ...call }) => {
      const serverName = serverId === undefined ? undefined : names.get(serverId);
      return {
        ...call,
        status: kept.refused.has(call.toolCallId) ? ('refused' as const) : call.status,
        ...(serverName !== undefined && { serverName }),
        widget: kept.widgets.has(call.toolCallId),
      };
    }),
  };
}
