import { Refusal } from '../../contract/errors.ts';
import * as browsers from '../../platform/database/queries/browser-sessions.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { noChatSession } from '../base/refusals.ts';
import { presentSessionBrowser } from '../browser-sessions/present.ts';
import { projectOf } from '../context/access.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { isConfigured } from './begin.ts';
import { presentTracedBrowser } from './browser/turn.ts';
import type { SessionConfig } from './config.ts';

export const getChatSession: Verb<'getChatSession'> = async (context, input) => {
  const session = await sessionOf(context, input);
  const { db } = context;
  const { afterMessageIndex: after, limit } = input;
  const from = after === undefined ? 0 : after + 1;
  const rows = await db.rows(sessions.messagesFrom, { sessionId: session.id, from, most: limit + 1 });
  const shown = rows.slice(0, limit);
  const running = await db.row(turns.running, { sessionId: session.id });
  const browser = await db.row(browsers.findOfChat, { chatSessionId: session.id });
  const config = session.config as Partial<SessionConfig>;
  const last = shown.at(-1);
  return {
    ...about(session),
    title: session.title,
    modelId: config.modelId ?? null,
    version: session.version,
    startedAt: session.createdAt,
    lastActivityAt: session.lastActivityAt,
    toolMode: config.toolMode ?? null,
    environmentId: config.environmentId ?? null,
    serverIds: config.serverIds ?? [],
    messageCount: session.messageCount,
    messages: shown.map(({ number, role, content, truncated }) => ({
      index: number,
      role,
      content,
      ...(truncated && { truncated }),
    })),
    ...(rows.length > limit && last && { nextMessageIndex: last.number }),
    turnInProgress: running !== undefined && !running.cutOff,
    apiConfigState: isConfigured(session) ? 'configured' : 'unconfigured',
    browser: browser ? presentSessionBrowser(browser) : null,
    usage: { cumulativeInputTokens: session.inputTokens, cumulativeOutputTokens: session.outputTokens },
  };
};

export const getChatSessionTrace: Verb<'getChatSessionTrace'> = async (context, input) => {
  const { turnId, afterPromptIndex, limit, includeSpans } = input;
  if (turnId !== undefined && afterPromptIndex !== undefined)
    throw new Refusal('VALIDATION_ERROR', 'afterPromptIndex: Cannot be combined with turnId. Send only one');
  const session = await sessionOf(context, input);
  const { db } = context;
  const sessionId = session.id;
  // Marks turns failed whose process has died.
  await db.run(turns.failCutOff, { sessionId });
  const { count, latest } = await db.one(turns.ended, { sessionId });
  const last = turnId === undefined && afterPromptIndex === undefined;
  const rows = await db.rows(turns.traces, {
    sessionId,
    id: turnId ?? null,
    after: last ? (latest ?? 0) - limit : (afterPromptIndex ?? -1),
    spans: includeSpans === 'true',
    most: limit,
  });
  if (turnId !== undefined && rows.length === 0)
    throw new Refusal('NOT_FOUND', 'No such turn of this session, or it has not ended');
  const used = await Promise.all(rows.map(({ id }) => presentTracedBrowser(context, id)));
  return {
    ...about(session),
    traceVersion: 1,
    turnCount: count,
    ...(latest !== null && { latestPromptIndex: latest }),
    turns: rows.map((turn, at) => ({
      ...used[at],
      turnId: turn.id,
      promptIndex: turn.promptIndex,
      startedAt: turn.startedAt,
      endedAt: turn.endedAt ?? turn.startedAt,
      status: turn.state === 'completed' ? 'completed' : 'failed',
      ...(turn.finishReason !== null && { finishReason: turn.finishReason }),
      ...(turn.error !== null && { error: turn.error }),
      ...(turn.modelId !== null && { modelId: turn.modelId }),
      usage: turn.usage as { inputTokens?: number },
      spanCount: turn.spanCount,
      ...(includeSpans === 'true' && { spans: turn.spans as Record<string, unknown>[] }),
      ...(turn.spansTruncated && { spansTruncated: true }),
    })),
  };
};

/** A session of the caller, or of a journey, in a project the caller can access. */
async function sessionOf(
  context: Context,
  { sessionId, projectId }: { sessionId: string; projectId?: string | undefined },
): Promise<sessions.SessionRow> {
  const { db, actor } = context;
  const owner = { organizationId: actor.organization.id, userId: actor.user.id };
  const session = await db.row(sessions.findReadable, { ...owner, id: sessionId });
  if (!session || (projectId !== undefined && projectId !== session.projectId)) throw noChatSession();
  await projectOf(context, session.projectId);
  return session;
}

function about({ id, projectId, origin }: sessions.SessionRow) {
  return { sessionId: id, chatSessionId: id, projectId, origin };
}
