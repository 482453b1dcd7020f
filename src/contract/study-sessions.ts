import { z } from 'zod';
import { EvalCase } from './eval-cases.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { studies } from './study-feature.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Studies',
  path: '/projects/{projectId}/studies/{studyId}/sessions',
  access: 'project member',
});

const count = z.number().int().min(0);

const Visitor = z.object({
  displayName: z.string().optional(),
  segment: z.string().optional().describe('`guest`, `invited` or `member`.'),
  authType: z.enum(['signedIn', 'guest']).optional(),
  recency: z.enum(['new', 'returning']).optional(),
  deviceKind: z.string().optional(),
  language: z.string().optional(),
});

const Feedback = z.object({
  rating: z.number().nullable().describe('1 for a thumb up, -1 for one down.'),
  comment: z.string().nullable(),
  count,
});

export const StudySession = z
  .object({
    id: z.string(),
    chatSessionId: z.string(),
    messageCount: count,
    preview: z.string().describe('How the first message begins.'),
    modelId: z.string().optional(),
    toolCallCount: count.optional(),
    authInterrupted: z.boolean().optional().describe('A server asked for a grant that nobody had given.'),
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
  description: 'Those with the latest activity first.',
  query: z.object(historyPage),
  response: pageOf(StudySession, 'StudySessionPage'),
  feature: studies.read({ items: [] }),
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
  transcriptUnavailable: z.boolean().optional().describe('It is longer than can be shown.'),
  messages: z.array(TranscriptMessage),
  nextCursor: z.string().optional(),
};

export const getStudySession = operation({
  command: 'studies session',
  summary: 'Read what was said in a session of a study',
  description: 'Page by page. What tools were sent and answered is left out.',
  path: '/{sessionId}',
  query: z.object(historyPage),
  response: z
    .object({ studyId: z.string(), ...sessionDetailFields, visitor: Visitor, feedback: Feedback })
    .meta({ id: 'StudySessionDetail' }),
  feature: studies.readOne,
});

export const createEvalCaseFromStudySession = operation({
  summary: 'Make an eval case of a session of a study',
  description:
    'What the visitor said becomes the prompts of the case, and the tools that were called its checks. It is added to the suite.',
  command: 'studies make-case',
  method: 'POST',
  path: '/{sessionId}/eval-case',
  body: z
    .strictObject({
      suiteId: z.string().min(1).max(200),
      title: Name.optional().describe('What the first message says, when left out.'),
    })
    .meta({ id: 'StudySessionCaseRequest' }),
  example: { suiteId: '{suiteId}' },
  status: 201,
  response: EvalCase,
  errors: ['CONFLICT'],
  feature: studies.write,
});
