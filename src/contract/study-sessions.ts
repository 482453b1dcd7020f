import { z } from 'zod';
import { EvalCase } from './eval-cases.ts';
import { studies } from './features.ts';
import { count, Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Studies',
  path: '/projects/{projectId}/studies/{studyId}/sessions',
  access: 'project member',
});

const Visitor = z.object({
  displayName: z.string().optional(),
  segment: z.string().optional().describe('`guest`, `invited` or `member`.'),
  authType: z.enum(['signedIn', 'guest']).optional(),
  recency: z.enum(['new', 'returning']).optional(),
  deviceKind: z.string().optional(),
  language: z.string().optional(),
});

const Feedback = z.object({
  rating: z.number().nullable().describe('1: thumbs up. -1: thumbs down.'),
  comment: z.string().nullable(),
  count,
});

export const StudySession = z
  .object({
    id: z.string(),
    chatSessionId: z.string(),
    messageCount: count,
    preview: z.string().describe('Beginning of the first message.'),
    modelId: z.string().optional(),
    toolCallCount: count.optional(),
    authInterrupted: z.boolean().optional().describe('A server required an OAuth grant that was missing.'),
    visitor: Visitor,
    feedback: Feedback,
    theme: z
      .object({ id: z.string(), label: z.string().nullable(), keywords: z.array(z.string()) })
      .optional(),
    startedAt: Time,
    lastActivityAt: Time,
  })
  .meta({ id: 'StudySession' });

export const listStudySessions = operation({
  command: 'studies sessions',
  summary: 'List the sessions of a study',
  description: 'Most recent activity first.',
  query: z.object(historyPage),
  response: pageOf(StudySession, 'StudySessionPage'),
  feature: studies.list,
});

const TranscriptMessage = z
  .object({
    role: z.string(),
    text: z.string(),
    toolName: z.string().optional(),
    createdAt: Time.optional(),
  })
  .meta({ id: 'TranscriptMessage' });

export const sessionDetailFields = {
  id: z.string(),
  chatSessionId: z.string().nullable(),
  modelId: z.string().nullable(),
  startedAt: Time.nullable(),
  lastActivityAt: Time.nullable(),
  messageCount: count.nullable(),
  transcriptUnavailable: z.boolean().optional().describe('The transcript is too long to show.'),
  messages: z.array(TranscriptMessage),
  nextCursor: z.string().optional(),
};

export const getStudySession = operation({
  command: 'studies session',
  summary: 'Read the transcript of a study session',
  description: 'Paged. Omits arguments and results of tools.',
  path: '/{sessionId}',
  query: z.object(historyPage),
  response: z
    .object({ studyId: z.string(), ...sessionDetailFields, visitor: Visitor, feedback: Feedback })
    .meta({ id: 'StudySessionDetail' }),
  feature: studies.readOne,
});

export const createEvalCaseFromStudySession = operation({
  summary: 'Create an eval case from a study session',
  description:
    'Adds a case to the suite, with the messages of the visitor as prompts and the called tools as checks.',
  command: 'studies make-case',
  method: 'POST',
  path: '/{sessionId}/eval-case',
  body: z
    .strictObject({
      suiteId: z.string().min(1).max(200),
      title: Name.optional().describe('Default: the first message.'),
    })
    .meta({ id: 'StudySessionCaseRequest' }),
  example: { suiteId: '{suiteId}' },
  status: 201,
  response: EvalCase,
  errors: ['CONFLICT'],
  feature: studies.write,
});
