import { z } from 'zod';
import { SendChatMessage, turnEvents } from '../chat-sessions.ts';
import { EvalWarning } from '../eval-warnings.ts';
import { count, VisibleName } from '../fields.ts';
import { liveErrors } from '../live.ts';
import { eventStream, operationsIn } from '../operation.ts';
import { Time } from '../paging.ts';

const forAnyone = operationsIn({ area: 'Visits', path: '', access: 'visitor' });
const operation = operationsIn({ area: 'Visits', path: '', access: 'grant' });

const token = z.string().min(1).max(200);
const Email = z.email('Must be an email address').max(320);

export const openStudy = forAnyone({
  summary: 'Read the study behind a link and its entry requirements',
  description: 'Invalid and expired links get the same response.',
  method: 'POST',
  path: '/study/open',
  body: z.strictObject({ link: token }),
  example: { link: '{studyLink}' },
  response: z.object({
    name: z.string(),
    description: z.string().nullable(),
    entry: z
      .enum(['open', 'invitation', 'sign-in'])
      .describe(
        '`open`: enter directly. `invitation`: enter the invited email address. `sign-in`: sign in to the console first.',
      ),
    signedInAs: z.string().nullable(),
    mail: z.boolean().describe('Whether invited people can have an entry link mailed.'),
  }),
  errors: ['NOT_FOUND'],
});

const Visitor = z.object({
  id: z.string(),
  kind: z.enum(['guest', 'invited', 'member']),
  displayName: z.string().nullable(),
});

export const enterStudy = forAnyone({
  summary: 'Enter a study',
  description:
    'Send the link of the study, or a one-time ticket. To continue as the same visitor, send the previous token as `before`.',
  method: 'POST',
  path: '/study/enter',
  body: z
    .strictObject({
      link: token.optional(),
      ticket: token.optional(),
      before: token.optional().describe('Token of a previous visit.'),
      displayName: VisibleName.optional(),
      language: z
        .string()
        .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/)
        .optional(),
    })
    .refine(
      ({ link, ticket }) => (link === undefined) !== (ticket === undefined),
      'Send either link or ticket',
    ),
  example: { link: '{studyLink}' },
  status: 201,
  response: z.object({
    token: z.string().describe('Token for the operations of a visit.'),
    visitor: Visitor,
  }),
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED', 'CONFLICT'],
});

export const requestStudyTicket = forAnyone({
  summary: 'Request an entry link by email',
  description: 'The response is the same whether or not the address is invited.',
  method: 'POST',
  path: '/study/ticket',
  body: z.strictObject({ link: token, email: Email }),
  example: { link: '{studyLink}', email: 'ada@example.com' },
  status: 202,
  response: z.object({ mail: z.boolean() }),
  errors: ['NOT_FOUND', 'FEATURE_NOT_SUPPORTED', 'RATE_LIMITED'],
});

const VisitSession = z.object({
  id: z.string(),
  title: z.string(),
  messageCount: count,
  lastActivityAt: Time,
});

export const getVisit = operation({
  summary: 'Read the study and your conversations',
  path: '/visit',
  response: z.object({
    study: z.object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      requireToolApproval: z.boolean(),
      serverNames: z.array(z.string()),
    }),
    visitor: Visitor,
    mayChat: z.boolean(),
    problem: z.string().nullable().describe('Reason if chat is currently unavailable.'),
    sessions: z.array(VisitSession).describe('Latest 20 conversations of the visitor.'),
  }),
});

export const watchVisit = operation({
  summary: 'Follow the state of the visit',
  path: '/visit/events',
  response: eventStream(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('open') }),
      z.object({ type: z.literal('ended'), message: z.string() }),
    ]),
    'Heartbeats, then the end of the visit.',
  ),
});

const { idempotencyKey, message, sessionId } = SendChatMessage.shape;

const ShownCall = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  serverName: z.string().optional(),
  input: z.unknown(),
  status: z.enum(['ok', 'error', 'refused']),
  output: z.unknown().optional(),
  errorMessage: z.string().optional(),
  widget: z.boolean().describe('Whether the tool has an interface to open.'),
});

const VisitEvent = z.discriminatedUnion('type', [
  ...turnEvents,
  z.object({
    type: z.literal('tool.asks'),
    turnId: z.string(),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown(),
    until: Time.describe('Declined automatically after this time.'),
  }),
  z.object({
    type: z.literal('turn.ended'),
    sessionId: z.string().nullable(),
    turnId: z.string(),
    reply: z.string(),
    calls: z.array(ShownCall),
    replay: z.literal(true).optional().describe('The turn had already ended: read the conversation again.'),
  }),
]);

export const sendVisitMessage = operation({
  summary: 'Send a message and stream the reply',
  method: 'POST',
  path: '/visit/messages',
  body: z.strictObject({ idempotencyKey, message, sessionId }),
  example: { idempotencyKey: '{idempotencyKey}', message: 'Which ships are in the drydock?' },
  response: eventStream(VisitEvent, 'Events of the turn, up to `turn.ended` or `turn.failed`.'),
  errors: ['NOT_FOUND', 'CONFLICT', ...liveErrors],
  callsTools: true,
});

export const decideToolCall = operation({
  summary: 'Approve or decline a tool call',
  method: 'POST',
  path: '/visit/turns/{turnId}/decisions',
  body: z.strictObject({ toolCallId: z.string().min(1).max(500), approved: z.boolean() }),
  example: { toolCallId: '{toolCallId}', approved: true },
  response: z.object({ toolCallId: z.string(), approved: z.boolean() }),
  errors: ['CONFLICT'],
});

const VisitMessage = z.object({
  index: count,
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  calls: z.array(ShownCall),
});

export const getVisitSession = operation({
  summary: 'Read one of your conversations',
  path: '/visit/sessions/{visitSessionId}',
  response: z.object({
    id: z.string(),
    title: z.string(),
    goesOn: z.boolean().describe('Whether the conversation can be continued.'),
    messages: z.array(VisitMessage),
    feedback: z.object({ rating: z.number().nullable(), comment: z.string().nullable() }),
  }),
  bulky: true,
});

export const giveVisitFeedback = operation({
  summary: 'Rate a conversation',
  method: 'PUT',
  path: '/visit/sessions/{visitSessionId}/feedback',
  body: z.strictObject({
    rating: z.union([z.literal(1), z.literal(-1)]).describe('1: thumbs up. -1: thumbs down.'),
    comment: z.string().trim().max(2000).optional(),
  }),
  example: { rating: 1, comment: 'Found my ship at once' },
  response: z.object({ rating: z.number(), comment: z.string().nullable() }),
});

const toolCallId = z.string().min(1).max(500);
const open = z.record(z.string(), z.unknown());

export const openVisitWidget = operation({
  summary: 'Read the interface of a called tool',
  method: 'POST',
  path: '/visit/sessions/{visitSessionId}/widgets',
  body: z.strictObject({ toolCallId }),
  example: { toolCallId: '{toolCallId}' },
  response: z.object({
    html: z.string().optional(),
    problem: z.string().optional().describe('Reason if there is none.'),
    csp: z.object({
      connectDomains: z.array(z.string()),
      resourceDomains: z.array(z.string()),
      frameDomains: z.array(z.string()),
      baseUriDomains: z.array(z.string()),
    }),
    tool: open,
    input: open,
    result: open,
    openAi: z.boolean(),
  }),
  errors: [...liveErrors],
  bulky: true,
  readOnly: true,
  callsTools: true,
});

export const useVisitWidget = operation({
  summary: 'Send a request of an interface to its server',
  method: 'POST',
  path: '/visit/sessions/{visitSessionId}/widget-requests',
  body: z.discriminatedUnion('method', [
    z.strictObject({
      method: z.literal('tools/call'),
      toolCallId,
      name: z.string().min(1).max(1000),
      arguments: open.default({}),
    }),
    z.strictObject({ method: z.literal('resources/read'), toolCallId, uri: z.string().min(1).max(8192) }),
  ]),
  example: { method: 'tools/call', toolCallId: '{toolCallId}', name: 'inspect_hull' },
  response: z.union([z.object({ result: open }), z.object({ refusal: z.string() })]),
  errors: [...liveErrors],
  readOnly: true,
  callsTools: true,
});

const shared = {
  title: z.string(),
  expiresAt: Time.nullable().describe('Expiry of the link.'),
};

const SharedEvalRun = z.object({
  kind: z.literal('evalRun'),
  ...shared,
  run: z.object({
    runNumber: count,
    status: z.string(),
    result: z.enum(['passed', 'failed', 'inconclusive']).nullable(),
    warnings: z.array(EvalWarning).optional(),
    summary: z
      .object({
        total: count,
        passed: count,
        failed: count,
        notRun: count.optional(),
        passRate: z.number().optional(),
      })
      .nullable()
      .describe('`null` until the run has finished.'),
    models: z.array(z.string()),
    createdAt: Time,
    completedAt: Time.nullable(),
    cases: z
      .array(
        z.object({
          title: z.string(),
          model: z.string(),
          trials: count,
          passed: count,
          failed: count,
          medianMs: z.number().nullable(),
          failedAt: z.array(z.string()).describe('Stages at which trials failed.'),
        }),
      )
      .describe('In the order of the suite. Transcripts are not shown.'),
    truncated: z.boolean(),
  }),
});

const SuiteOutcome = z.enum(['passed', 'failed', 'incomplete']).nullable();

const SharedConformanceRun = z.object({
  kind: z.literal('conformanceRun'),
  ...shared,
  run: z.object({
    status: z.string(),
    outcome: SuiteOutcome.describe('`null` until the run has finished.'),
    score: z.number().nullable(),
    createdAt: Time,
    completedAt: Time.nullable(),
    suites: z.array(
      z.object({
        suiteKind: z.string(),
        status: z.string(),
        outcome: SuiteOutcome,
        score: z.number().nullable(),
        passed: count,
        failed: count,
        skipped: count,
        pending: count,
      }),
    ),
    checks: z
      .array(z.object({ suiteKind: z.string(), group: z.string(), title: z.string(), status: z.string() }))
      .describe(
        'Failed checks first, then checks that could not run. Responses of the server are not shown.',
      ),
    truncated: z.boolean(),
  }),
});

export const readShared = forAnyone({
  summary: 'Read a shared run',
  description: 'Invalid and expired links get the same response.',
  method: 'POST',
  path: '/shared',
  body: z.strictObject({ link: token }),
  example: { link: '{shareLink}' },
  response: z.discriminatedUnion('kind', [SharedEvalRun, SharedConformanceRun]),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
});
