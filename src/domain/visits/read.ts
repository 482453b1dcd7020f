import { Refusal } from '../../contract/errors.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { VisitOperations } from '../../contract/visit/index.ts';
import type { ToolCallPart, TurnMessage } from '../../models/messages.ts';
import { resolveModel } from '../../models/resolve.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { asStorable } from '../../platform/json/storable.ts';
import { notAllowed } from '../chat-sessions/run-turn.ts';
import type { GrantContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { endedText } from '../parts/access-watch.ts';
import { scheduleAnalysis } from '../studies/analysis/schedule.ts';
import { compositionOf } from '../studies/present.ts';
import { refuseGuest } from './guest-caps.ts';

/** Latest messages of a conversation that are returned. */
const maxMessages = 400;

export const getVisit: Verb<'getVisit'> = async (context) => {
  const { db, grant, clock } = context;
  const { study, visitor, project } = grant;
  const where = { projectId: project.id, environmentId: study.environmentId };
  const composition = await compositionOf(context, where, visitor.id);
  const problem = await problemOf(async () => {
    if (!composition) throw notWorking();
    const { problem: unhosted } = resolveModel(context.models, { model: composition.model.id });
    if (unhosted) throw notWorking();
    await refuseGuest(db, grant, clock());
  });
  const own = await db.rows(sessions.ofVisitor, { visitorId: visitor.id });
  return {
    study: {
      id: study.id,
      name: study.name,
      description: study.description,
      requireToolApproval: composition?.client.config['requireToolApproval'] === true,
      serverNames: composition?.servers.map(({ name }) => name) ?? [],
    },
    visitor: { id: visitor.id, kind: visitor.kind, displayName: visitor.displayName },
    mayChat: problem === null,
    problem,
    sessions: own.map(({ sessionId, title, messageCount, lastActivityAt }) => ({
      id: sessionId,
      title,
      messageCount,
      lastActivityAt,
    })),
  };
};

function notWorking(): Refusal {
  return new Refusal(
    'CONFLICT',
    'This study is unavailable right now. Contact the person who sent you the link',
  );
}

/** The message of a refusal, or null. */
async function problemOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

export const watchVisit: Verb<'watchVisit'> = async function* (context) {
  const gone = context.callerGone();
  yield { data: { type: 'open' as const } };
  await new Promise<void>((resolve) => {
    if (gone.aborted) resolve();
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
  if (gone.reason instanceof Refusal) yield { data: { type: 'ended' as const, message: endedText } };
};

async function ownSession({ db, grant }: GrantContext, sessionId: string): Promise<sessions.StudySessionRow> {
  const row = await db.row(sessions.findOwn, { sessionId, visitorId: grant.visitor.id });
  if (!row) throw new Refusal('NOT_FOUND', 'No such conversation');
  return row;
}

export const getVisitSession: Verb<'getVisitSession'> = async (context, { visitSessionId: sessionId }) => {
  const { db, grant } = context;
  const row = await ownSession(context, sessionId);
  const from = Math.max(0, row.messageCount - maxMessages);
  const stored = await db.rows(chats.messagesFrom, { sessionId, from, most: maxMessages });
  const widgets = new Set((await db.rows(sessions.widgetIds, { sessionId })).map(({ id }) => id));
  return {
    id: sessionId,
    title: row.title,
    goesOn: row.environmentId === grant.study.environmentId,
    messages: shownMessages(stored, widgets),
    feedback: { rating: row.rating, comment: row.comment },
  };
};

type Message = OutputOf<VisitOperations['getVisitSession']>['messages'][number];
type Stored = { number: number; role: string; content: unknown };

/** The messages, each call with its result. */
function shownMessages(stored: readonly Stored[], widgets: ReadonlySet<string>): Message[] {
  const all = stored.map(({ number, role, content }) => ({
    number,
    message: { role, content } as TurnMessage,
  }));
  const results = new Map(
    all.flatMap(({ message }) =>
      message.role === 'tool' ? message.content.map((part) => [part.toolCallId, part.output] as const) : [],
    ),
  );
  return all.flatMap(({ number, message }): Message[] => {
    if (message.role === 'tool') return [];
    const { role, content } = message;
    if (typeof content === 'string') return [{ index: number, role, text: content, calls: [] }];
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const calls = content.flatMap((part) =>
      part.type === 'tool-call' ? [shownCall(part, results.get(part.toolCallId), widgets)] : [],
    );
    return [{ index: number, role, text, calls }];
  });
}

function shownCall(
  { toolCallId, toolName, input }: ToolCallPart,
  output: unknown,
  widgets: ReadonlySet<string>,
): Message['calls'][number] {
  const { type, value } = (output ?? {}) as { type?: string; value?: unknown };
  const failed = output === undefined || type === 'error-text' || type === 'error-json';
  const words = typeof value === 'string' ? value : 'No answer';
  if (failed && words === notAllowed)
    return { toolCallId, toolName, input, status: 'refused', widget: false };
  return {
    toolCallId,
    toolName,
    input,
    status: failed ? 'error' : 'ok',
    ...(failed ? { errorMessage: words } : { output: value }),
    widget: widgets.has(toolCallId),
  };
}

export const giveVisitFeedback: Verb<'giveVisitFeedback'> = async (context, { visitSessionId, body }) => {
  const { grant, clock, db } = context;
  const sessionId = visitSessionId;
  await ownSession(context, sessionId);
  const { rating } = body;
  const comment = body.comment ? asStorable(body.comment) : null;
  await db.transaction(async (trx) => {
    await trx.row(sessions.rate, { sessionId, visitorId: grant.visitor.id, rating, comment });
    await scheduleAnalysis(trx, clock, grant.study.id, grant.project.organizationId);
  });
  return { rating, comment };
};
