import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import { pageBy } from '../base/paging.ts';
import { projectOf, viewerOf } from '../context/access.ts';
import { configuredOrigin } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import type { SessionConfig } from './config.ts';

type Place = readonly [at: number, id: string];
const placeOf = ({ lastActivityAt, id }: sessions.SessionRow): Place => [lastActivityAt, id];
const behind = (after: Place | undefined, most: number) => ({
  before: after?.[0] ?? null,
  beforeId: after?.[1] ?? '',
  most,
});

/** Most recently active first. */
export const listChatSessions: Verb<'listChatSessions'> = async (context, input) => {
  const { db, actor } = context;
  const { projectId, status, limit, before: cursor } = input;
  if (projectId !== undefined) await projectOf(context, projectId);
  const which = viewerOf(context);
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

/** Session origin by requested type. No type and `direct` mean the caller's own chats; other types find nothing. */
const origins: Partial<Record<string, string>> = { swarm: 'swarm', scenario: 'study' };

/** Lists the caller's own chats, since chats are private, or the sessions of journeys or studies. */
export const listSessions: Verb<'listSessions'> = async (context, input) => {
  const { db, project, actor } = context;
  const { q, status, sourceType, scope, cursor, limit } = input;
  const words = q?.trim() ?? '';
  const origin = sourceType === undefined ? undefined : origins[sourceType];
  const inTranscripts = words !== '' && scope === 'transcripts';
  const which = {
    projectId: project.id,
    userId: origin === undefined ? actor.user.id : null,
    origin: origin ?? null,
    status: status ?? null,
    pattern: words === '' || inTranscripts ? null : `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`,
    words: inTranscripts ? words : null,
  };
  // Sessions of evals have an endpoint of their own.
  const isElsewhere = sourceType !== undefined && sourceType !== 'direct' && origin === undefined;
  const page = await pageBy(
    context,
    { cursor, limit },
    {
      scope: ['sessions', project.id, which, isElsewhere],
      placeOf,
      fetch: async (after: Place | undefined, most) =>
        isElsewhere ? [] : db.rows(sessions.search, { ...which, ...behind(after, most) }),
      present: (row: sessions.FoundSession) => presentFound(configuredOrigin(context), row),
    },
  );
  return { ...page, ...(scope !== undefined && { scope }) };
};

type ParentRef = NonNullable<OutputOf<Operations['listSessions']>['items'][number]['parentRef']>;

function presentFound(origin: string, row: sessions.FoundSession) {
  const parent = parentOf(row);
  const path = `/console/projects/${row.projectId}${placeIn(parent)}/sessions/${row.id}`;
  return {
    id: row.id,
    chatSessionId: row.id,
    projectId: row.projectId,
    sourceType: sourceOf(row),
    origin: row.origin,
    status: row.status,
    synthetic: row.origin === 'swarm',
    lockReason: '',
    title: row.title,
    firstMessagePreview: row.firstMessage,
    visibility: parent ? 'project' : 'private',
    ownedByViewer: !parent,
    startedAt: row.createdAt,
    lastActivityAt: row.lastActivityAt,
    modelId: (row.config as Partial<SessionConfig>).modelId ?? '',
    messageCount: row.messageCount,
    parentRef: parent,
    link: { path, url: `${origin}${path}` },
    ...(row.match !== null && { matchPreview: row.match }),
  };
}

function sourceOf({ origin }: sessions.FoundSession): 'swarm' | 'scenario' | 'direct' {
  if (origin === 'swarm') return 'swarm';
  return origin === 'study' ? 'scenario' : 'direct';
}

/** A journey session's ID contains the ID of its run. */
function parentOf({ id, title: label, origin, studyId }: sessions.FoundSession): ParentRef | null {
  if (origin === 'study')
    return { kind: 'scenario', label, ...(studyId !== null && { scenarioId: studyId }) };
  if (origin !== 'swarm') return null;
  const journeyRunId = /^synth_(jrun_[a-z0-9]+)_/.exec(id)?.[1];
  return { kind: 'journeyRun', label, ...(journeyRunId !== undefined && { journeyRunId }) };
}

function placeIn(parent: ParentRef | null): string {
  if (parent?.journeyRunId !== undefined) return `/swarms/runs/${parent.journeyRunId}`;
  return parent?.scenarioId === undefined ? '' : `/studies/${parent.scenarioId}`;
}
