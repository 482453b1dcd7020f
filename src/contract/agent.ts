import { z } from 'zod';
import { operation } from './operation.ts';
import { lookupPage, pageOf } from './paging.ts';

/** Limits in bytes, of one message and of the whole conversation. */
const maxBytes = 8192;
const maxHistory = 98_304;
/** Concurrent turns per organization, and model calls per turn. */
export const maxTurns = 4;
export const maxAgentSteps = 16;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const Message = z
  .strictObject({
    role: z.enum(['user', 'assistant']),
    content: z
      .string()
      .min(1)
      .max(8000)
      .refine((text) => bytesOf(text) <= maxBytes, `Must be at most ${maxBytes} bytes`),
  })
  .meta({ id: 'AgentMessage' });

/** Checks the characters first: there are never more of them than bytes, and counting them is cheaper. */
function fits(messages: readonly { content: string }[]): boolean {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  return (
    characters <= maxHistory && messages.reduce((sum, { content }) => sum + bytesOf(content), 0) <= maxHistory
  );
}

const conversation = z.string().min(1).max(64);

const Kind = z.enum(['start', 'cancel', 'generate', 'schedule', 'external']);
const Severity = z.enum(['spend', 'external', 'none']);
export type ActionKind = z.infer<typeof Kind>;
export type ActionSeverity = z.infer<typeof Severity>;

const CreatedResource = z
  .object({
    type: z.string().describe('`eval_suite`, `eval_case` or `environment`.'),
    id: z.string(),
    name: z.string().optional(),
    url: z.url().describe('Console page of the resource.'),
  })
  .meta({ id: 'AgentCreatedResource' });

const ProposedAction = z
  .object({
    actionId: z
      .string()
      .describe(
        'Stable for an action within a conversation. Send it as `Idempotency-Key` so that the action runs once.',
      ),
    operation: z.string().describe('Operation ID.'),
    description: z.string(),
    buttonLabel: z.string(),
    kind: Kind,
    confirmSeverity: Severity.optional().describe('Severity to show when asking for confirmation.'),
    target: z.object({ type: z.string(), selector: z.string() }).optional(),
    input: z
      .record(z.string(), z.unknown())
      .describe(
        'Arguments of the operation: path and query parameters at the top level, the JSON body under `body`.',
      ),
  })
  .meta({ id: 'AgentProposedAction' });

export type CreatedResource = z.infer<typeof CreatedResource>;
export type ProposedAction = z.infer<typeof ProposedAction>;

export const runAgentTurn = operation({
  command: 'agent turn',
  area: 'Agent',
  summary: 'Run an agent turn',
  description:
    'Runs one turn of an assistant that works in this project with the operations listed by `agent-ops`. The assistant reads everything and creates or edits suites, cases and environments. Actions that spend credits, call server tools or send model-written input to a server are proposed instead of executed, and only if `conversationId` is set. The assistant never deletes and never leaves the project. Limits: 16 model calls, and 90 seconds unless the operator has set another timeout. If a turn fails after creating resources, the error lists them in `details.createdResources` and `details.proposedActions`.',
  method: 'POST',
  path: '/projects/{projectId}/agent',
  body: z
    .strictObject({
      messages: z
        .array(Message)
        .min(1)
        .max(50)
        .refine((messages) => messages.at(-1)?.role === 'user', 'The last message must have the role user')
        .refine(fits, `Must be at most ${maxHistory} bytes in all`)
        .describe('Conversation so far. The agent answers the last message.'),
      idempotencyKey: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[\x20-\x7e]+$/, 'Must be printable ASCII')
        .optional()
        .describe('Repeating a request with the same key returns the first response.'),
      conversationId: conversation
        .optional()
        .describe('Set it if a person can approve actions: the agent then proposes them.'),
      slackChannelId: conversation
        .optional()
        .describe('Alternative to `conversationId`, which takes precedence.'),
    })
    .meta({ id: 'AgentTurnRequest' }),
  example: { messages: [{ role: 'user', content: 'List the eval suites of this project.' }] },
  status: 200,
  response: z
    .object({
      reply: z.string(),
      toolCalls: z
        .array(z.object({ operation: z.string() }))
        .describe('Operations the agent called, in order.'),
      createdResources: z.array(CreatedResource),
      proposedActions: z.array(ProposedAction),
      usage: z.object({ inputTokens: z.number().int(), outputTokens: z.number().int() }),
    })
    .meta({ id: 'AgentTurnResponse' }),
  errors: ['FEATURE_NOT_SUPPORTED', 'SERVER_UNREACHABLE', 'TIMEOUT'],
  access: 'project member',
  spends: true,
  performs: true,
  idempotency: 'claim',
});

export const listAgentOperations = operation({
  command: 'agent operations',
  area: 'Agent',
  summary: 'List the operations of the agent',
  description: 'Operations that a turn can call on its own, and operations that it can only propose.',
  method: 'GET',
  path: '/agent-ops',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(
    z.object({
      operation: z.string(),
      summary: z.string(),
      mode: z.enum(['direct', 'proposed']),
      kind: Kind.optional(),
      confirmSeverity: Severity.optional(),
    }),
    'AgentOperationPage',
  ),
  access: 'key',
});
