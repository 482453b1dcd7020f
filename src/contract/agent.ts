import { z } from 'zod';
import { operation } from './operation.ts';
import { lookupPage, pageOf } from './paging.ts';

/** Bytes of one message and of all of them. */
const mostBytes = 8192;
const mostHistory = 98_304;
/** Turns at once of one organization, and calls of the model in one turn. */
export const mostTurns = 4;
export const mostAgentSteps = 16;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const Message = z
  .strictObject({
    role: z.enum(['user', 'assistant']),
    content: z
      .string()
      .min(1)
      .max(8000)
      .refine((text) => bytesOf(text) <= mostBytes, `Must be at most ${mostBytes} bytes`),
  })
  .meta({ id: 'AgentMessage' });

/** Counted in characters first, which is never more than in bytes, and cheaper. */
function fits(messages: readonly { content: string }[]): boolean {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  return (
    characters <= mostHistory &&
    messages.reduce((sum, { content }) => sum + bytesOf(content), 0) <= mostHistory
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
    url: z.url().describe('Its page in the console.'),
  })
  .meta({ id: 'AgentCreatedResource' });

const ProposedAction = z
  .object({
    actionId: z
      .string()
      .describe('The same for the same action of a conversation. Send it as Idempotency-Key to act once.'),
    operation: z.string().describe('Id of the operation.'),
    description: z.string(),
    buttonLabel: z.string(),
    kind: Kind,
    confirmSeverity: Severity.optional().describe('What a person agrees to.'),
    target: z.object({ type: z.string(), selector: z.string() }).optional(),
    input: z
      .record(z.string(), z.unknown())
      .describe('What to call the operation with: path and query side by side, the JSON under `body`.'),
  })
  .meta({ id: 'AgentProposedAction' });

export type CreatedResource = z.infer<typeof CreatedResource>;
export type ProposedAction = z.infer<typeof ProposedAction>;

export const runAgentTurn = operation({
  command: 'agent turn',
  area: 'Agent',
  summary: 'Let the agent answer',
  description:
    'One turn of an assistant that works in this project with the operations of `agent-ops`. It reads, and writes suites, cases and environments. What spends, calls tools of servers, or sends them words of its own is proposed, and only when `conversationId` says that somebody can be asked; it deletes nothing and does not leave the project. At most 16 calls of the model and 90 seconds. An error after something was made says what, in `details.createdResources` and `details.proposedActions`.',
  method: 'POST',
  path: '/projects/{projectId}/agent',
  body: z
    .strictObject({
      messages: z
        .array(Message)
        .min(1)
        .max(50)
        .refine((messages) => messages.at(-1)?.role === 'user', 'The last message must be of the user')
        .refine(fits, `Must be at most ${mostHistory} bytes in all`)
        .describe('The conversation so far; the last message is answered.'),
      idempotencyKey: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[\x20-\x7e]+$/, 'Must be printable ASCII')
        .optional()
        .describe('The same key again gives the first answer.'),
      conversationId: conversation
        .optional()
        .describe('There is somebody who can approve: actions are proposed.'),
      slackChannelId: conversation.optional().describe('The same; `conversationId` outdoes it.'),
    })
    .meta({ id: 'AgentTurnRequest' }),
  example: { messages: [{ role: 'user', content: 'List the eval suites of this project.' }] },
  status: 200,
  response: z
    .object({
      reply: z.string(),
      toolCalls: z
        .array(z.object({ operation: z.string() }))
        .describe('Operations that were called, in order.'),
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
  summary: 'List what the agent can do',
  description: 'The operations that a turn may use by itself, and those that it may only propose.',
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
