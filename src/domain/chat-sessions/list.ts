import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import { projectOf } from '../access.ts';
import { pageBy } from '../paging.ts';
import type { Verb } from '../verb.ts';
import type { SessionConfig } from './config.ts';

type Place = readonly [at: number, id: string];
const placeOf = ({ lastActivityAt, id }: sessions.SessionRow): Place => [lastActivityAt, id];
const behind = (after: Place | undefined, most: number) => ({
  before: after?.[0] ?? null,
  beforeId: after?.[1] ?? '',
  most,
});

/** The latest first. */
export const listChatSessions: Verb<'listChatSessions'> = async (context, input) => {
  const { db, actor } = context;
  const { projectId, status, limit, before: cursor } = input;
  if (projectId !== undefined) await projectOf(context, projectId);
  const which = { organizationId: actor.organization.id, userId: actor.user.id };
  const filters = { projectId: projectId ?? null, status: status ?? null };
  return pageBy(
    context,
    { cursor, limit },
    {
      scope: ['chat-sessions', actor.user.id, filters],
      placeOf,
      fetch: (after: Place | undefined, most) =>
        db.rows(sessions.listOwn, { ...which, ...filters, ...behind(after, most) }),
      present: (row) => ({
        id: row.id,
        title: row.title,
        status: row.status,
        projectId: row.projectId,
        visibility: 'private',
        lastActivityAt: row.lastActivityAt,
        createdAt: row.createdAt,
      }),
    },
  );
};

/** Those of the caller, since what somebody said to a model is theirs; or, asked for, those of journeys. */
export const listSessions: Verb<'listSessions'> = async (context, input) => {
  const { db, project, actor } = context;
  const { q, status, sourceType, scope, cursor, limit } = input;
  const words = q?.trim() ?? '';
  const inTranscripts = words !== '' && scope === 'transcripts';
  const which = {
    projectId: project.id,
    userId: sourceType === 'swarm' ? null : actor.user.id,
    status: status ?? null,
    pattern: words === '' || inTranscripts ? null : `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`,
    words: inTranscripts ? words : null,
  };
  // The others are made by parts that keep their own lists.
  const none = sourceType !== undefined && sourceType !== 'direct' && sourceType !== 'swarm';
  const page = await pageBy(
    context,
    { cursor, limit },
    {
      scope: ['sessions', project.id, which, none],
      placeOf,
      fetch: async (after: Place | undefined, most) =>
        none ? [] : db.rows(sessions.search, { ...which, ...behind(after, most) }),
      present: (row: sessions.FoundSession) => presentFound(context.origin(), row),
    },
  );
  return { ...page, ...(scope !== undefined && { scope }) };
};

function presentFound(origin: string, row: sessions.FoundSession) {
  const swarm = row.origin === 'swarm';
  const parent = swarm ? parentOf(row) : null;
  const below = parent?.journeyRunId === undefined ? '' : `/swarms/runs/${parent.journeyRunId}`;
  const path = `/console/projects/${row.projectId}${below}/sessions/${row.id}`;
  return {
    id: row.id,
    chatSessionId: row.id,
    projectId: row.projectId,
    sourceType: swarm ? ('swarm' as const) : ('direct' as const),
    origin: row.origin,
    status: row.status,
    synthetic: swarm,
    lockReason: '',
    title: row.title,
    firstMessagePreview: row.firstMessage,
    visibility: swarm ? 'project' : 'private',
    ownedByViewer: !swarm,
    startedAt: row.createdAt,
    lastActivityAt: row.lastActivityAt,
    modelId: (row.config as Partial<SessionConfig>).modelId ?? '',
    messageCount: row.messageCount,
    parentRef: parent,
    link: { path, url: `${origin}${path}` },
    ...(row.match !== null && { matchPreview: row.match }),
  };
}

/** The run that a session of a journey belongs to stands in its id. */
function parentOf({ id, title }: sessions.FoundSession): {
  kind: 'journeyRun';
  label: string;
  journeyRunId?: string;
} {
  const journeyRunId = /^synth_(jrun_[a-z0-9]+)_/.exec(id)?.[1];
  return { kind: 'journeyRun', label: title, ...(journeyRunId !== undefined && { journeyRunId }) };
}
