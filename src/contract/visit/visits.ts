import { z } from 'zod';
import { SendChatMessage, turnEvents } from '../chat-sessions.ts';
import { EvalWarning } from '../eval-warnings.ts';
import { liveErrors } from '../live.ts';
import { eventStream, operationsIn } from '../operation.ts';
import { Time } from '../paging.ts';
import { VisibleName } from '../text.ts';

const forAnyone = operationsIn({ area: 'Visits', path: '', access: 'visitor' });
const operation = operationsIn({ area: 'Visits', path: '', access: 'grant' });

const token = z.string().min(1).max(200);
const Email = z.email('Must be an e-mail address').max(320);
const count = z.number().int().min(0);

export const openStudy = forAnyone({
  summary: 'Say what a link leads to, and what it takes to get in',
  description: 'One answer for every link that does not work, whether or not it ever did.',
  method: 'POST',
  path: '/study/open',
  body: z.strictObject({ link: token }),
  example: { link: '{studyLink}' },
  response: z.object({
    name: z.string(),
    description: z.string().nullable(),
    entry: z
      .enum(['open', 'invitation', 'sign-in'])
      .describe('Come in; say which address was invited; or sign in to the console first.'),
    signedInAs: z.string().nullable(),
    mail: z.boolean().describe('Whether a way in can be mailed to those who are invited.'),
  }),
  errors: ['NOT_FOUND'],
});

const Visitor = z.object({
  id: z.string(),
  kind: z.enum(['guest', 'invited', 'member']),
  displayName: z.string().nullable(),
});

export const enterStudy = forAnyone({
  summary: 'Come in to a study',
  description:
    'With the link, or with a ticket that was mailed or handed over, which works once. Whoever was in before says so with `before` and stays the same visitor.',
  method: 'POST',
  path: '/study/enter',
  body: z
    .strictObject({
      link: token.optional(),
      ticket: token.optional(),
      before: token.optional().describe('The token of an earlier visit.'),
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
    token: z.string().describe('Opens the operations of a visit, and nothing else.'),
    visitor: Visitor,
  }),
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED', 'CONFLICT'],
});

export const requestStudyTicket = forAnyone({
  summary: 'Have the way in mailed',
  description: 'The answer is the same whether or not the address is invited.',
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
  summary: 'Read what the study offers, and the own conversations',
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
    problem: z.string().nullable().describe('Why nobody can chat here at the moment.'),
    sessions: z.array(VisitSession).describe('The latest 20 of this visitor.'),
  }),
});

export const watchVisit = operation({
  summary: 'Hear when the visit ends',
  path: '/visit/events',
  response: eventStream(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('open') }),
      z.object({ type: z.literal('ended'), message: z.string() }),
    ]),
    'That it goes on, and that it ended.',
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
  widget: z.boolean().describe('It has an interface that can be opened.'),
});

const VisitEvent = z.discriminatedUnion('type', [
  ...turnEvents,
  z.object({
    type: z.literal('tool.asks'),
    turnId: z.string(),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown(),
    until: Time.describe('Taken for a no after that.'),
  }),
  z.object({
    type: z.literal('turn.ended'),
    sessionId: z.string().nullable(),
    turnId: z.string(),
    reply: z.string(),
    calls: z.array(ShownCall),
    replay: z.literal(true).optional().describe('It had ended before: read the conversation again.'),
  }),
]);

export const sendVisitMessage = operation({
  summary: 'Say something to the study and read the reply as it is written',
  method: 'POST',
  path: '/visit/messages',
  body: z.strictObject({ idempotencyKey, message, sessionId }),
  example: { idempotencyKey: '{idempotencyKey}', message: 'Which ships are in the drydock?' },
  response: eventStream(VisitEvent, 'The turn from its beginning to `turn.ended` or `turn.failed`.'),
  errors: ['NOT_FOUND', 'CONFLICT', ...liveErrors],
  callsTools: true,
});

export const decideToolCall = operation({
  summary: 'Allow a call of a tool, or not',
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
  summary: 'Read one of the own conversations',
  path: '/visit/sessions/{visitSessionId}',
  response: z.object({
    id: z.string(),
    title: z.string(),
    goesOn: z.boolean().describe('Whether more can be said in it.'),
    messages: z.array(VisitMessage),
    feedback: z.object({ rating: z.number().nullable(), comment: z.string().nullable() }),
  }),
  bulky: true,
});

export const giveVisitFeedback = operation({
  summary: 'Say how a conversation went',
  method: 'PUT',
  path: '/visit/sessions/{visitSessionId}/feedback',
  body: z.strictObject({
    rating: z.union([z.literal(1), z.literal(-1)]).describe('A thumb up, or down.'),
    comment: z.string().trim().max(2000).optional(),
  }),
  example: { rating: 1, comment: 'Found my ship at once' },
  response: z.object({ rating: z.number(), comment: z.string().nullable() }),
});

const toolCallId = z.string().min(1).max(500);
const open = z.record(z.string(), z.unknown());

export const openVisitWidget = operation({
  summary: 'Read the interface of a tool that was called',
  method: 'POST',
  path: '/visit/sessions/{visitSessionId}/widgets',
  body: z.strictObject({ toolCallId }),
  example: { toolCallId: '{toolCallId}' },
  response: z.object({
    html: z.string().optional(),
    problem: z.string().optional().describe('Why there is none.'),
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
  summary: 'Do what the interface of a tool asks its server for',
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
  expiresAt: Time.nullable().describe('After which the link shows nothing.'),
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
      .describe('`null` until it is over.'),
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
          failedAt: z.array(z.string()).describe('The stages at which trials failed.'),
        }),
      )
      .describe('In the order of the suite. What was said in trials is not shown.'),
    truncated: z.boolean(),
  }),
});

const SuiteOutcome = z.enum(['passed', 'failed', 'incomplete']).nullable();

const SharedConformanceRun = z.object({
  kind: z.literal('conformanceRun'),
  ...shared,
  run: z.object({
    status: z.string(),
    outcome: SuiteOutcome.describe('`null` until it is over.'),
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
      .describe('Those that failed, then those that could not run. What the server said is not shown.'),
    truncated: z.boolean(),
  }),
});

export const readShared = forAnyone({
  summary: 'Read what a link shows',
  description: 'One answer for every link that does not work, whether or not it ever did.',
  method: 'POST',
  path: '/shared',
  body: z.strictObject({ link: token }),
  example: { link: '{shareLink}' },
  response: z.discriminatedUnion('kind', [SharedEvalRun, SharedConformanceRun]),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
});
