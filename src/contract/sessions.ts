import { z } from 'zod';
import { operation } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';

const ChatSession = z
  .object({
    id: z.string(),
    title: z.string().nullable(),
    status: z.string().nullable(),
    projectId: z.string().nullable(),
    visibility: z.string().nullable(),
    lastActivityAt: Time.nullable(),
    createdAt: Time.nullable(),
    isPinned: z.boolean().optional(),
    isUnread: z.boolean().optional(),
  })
  .meta({ id: 'ChatSession' });

const SessionSummary = z
  .object({
    id: z.string(),
    chatSessionId: z.string(),
    projectId: z.string(),
    sourceType: z.enum(['direct', 'scenario', 'eval', 'swarm']),
    origin: z.string(),
    status: z.string(),
    synthetic: z.boolean(),
    lockReason: z.string(),
    title: z.string(),
    firstMessagePreview: z.string(),
    visibility: z.string(),
    ownedByViewer: z.boolean(),
    startedAt: Time,
    lastActivityAt: Time,
    modelId: z.string(),
    messageCount: z.number().int(),
    parentRef: z
      .object({
        kind: z.enum(['evalRun', 'journeyRun', 'scenario']),
        label: z.string(),
        iterationId: z.string().optional(),
        suiteRunId: z.string().optional(),
        suiteId: z.string().optional(),
        journeyRunId: z.string().optional(),
        journeyRefId: z.string().optional(),
        scenarioId: z.string().optional(),
      })
      .nullable(),
    link: z.object({ path: z.string(), url: z.string() }),
    matchPreview: z.string().optional().describe('Text around the first match in the transcript.'),
  })
  .meta({ id: 'SessionSummary' });

const status = z.enum(['active', 'archived']).optional();

export const listChatSessions = operation({
  area: 'Sessions',
  summary: 'List your chat sessions',
  method: 'GET',
  path: '/chat-sessions',
  query: z.object({
    projectId: z.string().max(128).optional(),
    status,
    limit: historyPage.limit,
    before: historyPage.cursor,
  }),
  status: 200,
  response: pageOf(ChatSession, 'ChatSessionPage'),
  errors: ['NOT_FOUND'],
  access: 'key',
});

export const listSessions = operation({
  area: 'Sessions',
  summary: 'List the sessions of a project',
  method: 'GET',
  path: '/projects/{projectId}/sessions',
  query: z.object({
    q: z.string().max(500).optional().describe('Words to search for.'),
    scope: z.enum(['titles', 'transcripts']).optional(),
    sourceType: z.string().max(64).optional(),
    status,
    ...historyPage,
  }),
  status: 200,
  response: z
    .object({
      items: z.array(SessionSummary),
      nextCursor: z.string().optional(),
      scope: z.enum(['titles', 'transcripts']).optional(),
    })
    .meta({ id: 'SessionSummaryPage' }),
  access: 'project member',
});
