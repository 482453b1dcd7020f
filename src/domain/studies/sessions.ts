import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { TurnMessage } from '../../models/messages.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { openCursor, pageBy } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import { lengthOf } from '../chat-sessions/transcript.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';

type Session = OutputOf<Operations['listStudySessions']>['items'][number];
type Message = OutputOf<Operations['getStudySession']>['messages'][number];

/** Maximum number of characters of JSON of the messages of a page. A page with more is answered without messages. */
const maxOfPage = 8 * 1024 * 1024;

type Place = readonly [at: number, id: string];

export const listStudySessions: Verb<'listStudySessions'> = async (context, { studyId, ...page }) => {
  const { db } = context;
  await studyOf(context, studyId);
  return pageBy(context, page, {
    scope: ['study-sessions', studyId],
    placeOf: ({ lastActivityAt, sessionId }: sessions.StudySessionRow): Place => [lastActivityAt, sessionId],
    fetch: (after: Place | undefined, most) =>
      db.rows(sessions.list, { studyId, before: after?.[0] ?? null, beforeId: after?.[1] ?? '', most }),
    present: presentSession,
  });
};

/** Refuses a study that is not in the project of the path. */
export async function studyOf(
  { db, project }: Pick<ProjectContext, 'db' | 'project'>,
  id: string,
): Promise<studies.StudyRow> {
  return found(await db.row(studies.find, { projectId: project.id, id }), 'study');
}

export async function sessionOf(
  context: Pick<ProjectContext, 'db' | 'project'>,
  { studyId, sessionId }: { studyId: string; sessionId: string },
): Promise<sessions.StudySessionRow> {
  await studyOf(context, studyId);
  return found(await context.db.row(sessions.find, { studyId, sessionId }), 'session');
}

function presentSession(row: sessions.StudySessionRow): Session {
  return {
    id: row.sessionId,
    chatSessionId: row.sessionId,
    messageCount: row.messageCount,
    preview: row.firstMessage,
    modelId: row.modelId,
    toolCallCount: row.toolCalls,
    authInterrupted: row.authInterrupted,
    ...presentVisitor(row),
    startedAt: row.startedAt,
    lastActivityAt: row.lastActivityAt,
  };
}

/** The visitor, as far as known, and their feedback. */
function presentVisitor(row: sessions.StudySessionRow): Pick<Session, 'visitor' | 'feedback'> {
  const { kind, displayName, language, rating, comment } = row;
  return {
    visitor: {
      ...(displayName !== null && { displayName }),
      segment: kind,
      authType: kind === 'guest' ? 'guest' : 'signedIn',
      recency: row.cameBack ? 'returning' : 'new',
      deviceKind: row.deviceKind,
      ...(language !== null && { language }),
    },
    feedback: { rating, comment, count: rating === null ? 0 : 1 },
  };
}

export const getStudySession: Verb<'getStudySession'> = async (context, input) => {
  const { db, cursors } = context;
  const { studyId, sessionId, cursor, limit } = input;
  const row = await sessionOf(context, input);
  const scope = ['study-transcript', sessionId];
  const from = cursor === undefined ? 0 : Number(openCursor(context, scope, cursor));
  const stored = await db.rows(chats.messagesFrom, { sessionId, from, most: limit + 1 });
  const about = {
    id: sessionId,
    studyId,
    chatSessionId: sessionId,
    modelId: row.modelId,
    ...presentVisitor(row),
    startedAt: row.startedAt,
    lastActivityAt: row.lastActivityAt,
  };
  if (lengthOf(stored) > maxOfPage)
    return { ...about, messageCount: null, transcriptUnavailable: true, messages: [] };
  const shown = stored.slice(0, limit);
  return {
    ...about,
    messageCount: row.messageCount,
    messages: shown.flatMap(({ role, content }) => spokenIn({ role, content } as TurnMessage)),
    ...(stored.length > limit && { nextCursor: cursors.seal(scope, String(from + limit)) }),
  };
};

/** Messages and tool names, without arguments and results of calls. */
function spokenIn({ role, content }: TurnMessage): Message[] {
  if (typeof content === 'string') return [{ role, text: content }];
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const called = content.flatMap((part): Message[] =>
    part.type === 'tool-call' ? [{ role: 'tool', text: '', toolName: part.toolName }] : [],
  );
  return [...(text === '' ? [] : [{ role, text }]), ...called];
}
