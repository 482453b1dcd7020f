import { z } from 'zod';
import {
  BrowserScreenshot,
  BrowserState,
  BrowserToolPolicy,
  EffectivePolicy,
  SessionBrowser,
  SessionBrowserInput,
} from './browser-commands.ts';
import { id } from './fields.ts';
import { liveErrors } from './live.ts';
import { eventStream, operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({ area: 'Sessions', path: '/chat-sessions', access: 'key' });

const key = z.string().regex(/^[\x20-\x7e]{1,200}$/, 'Write 1 to 200 printable ASCII characters');

/** Limit of a message in bytes of UTF-8, in addition to its limit in characters. */
const maxBytes = 8192;
const Message = z
  .string()
  .min(1)
  .max(8000)
  .refine(
    (text) => new TextEncoder().encode(text).length <= maxBytes,
    `Must be at most ${maxBytes} bytes of UTF-8`,
  );

const ToolMode = z.enum(['read_only', 'auto']);

export const SendChatMessage = z
  .strictObject({
    idempotencyKey: key.describe(
      'Use one key for all attempts to send this message. A repeated request does not run again.',
    ),
    message: Message,
    projectId: id.optional().describe('Required to start a session. Ignored if `sessionId` is set.'),
    sessionId: id.optional().describe('Session to continue. Omit it to start one.'),
    modelId: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe('`provider/name`. Required on the first turn and fixed for the session.'),
    hostId: id.optional().describe('ID of the client to act as. Send it on each turn.'),
    environmentId: id.optional().describe('First turn only. Alternative to `serverIds`.'),
    serverIds: z.array(id).min(1).max(20).optional().describe('First turn only.'),
    systemPrompt: z.string().max(8000).optional().describe('First turn only.'),
    temperature: z.number().min(0).max(2).optional().describe('First turn only.'),
    maxSteps: z
      .number()
      .int()
      .min(1)
      .max(16)
      .optional()
      .describe('Maximum model calls in this turn. Default 8.'),
    toolMode: ToolMode.optional().describe(
      'First turn only. The default, `read_only`, offers only tools that declare `readOnlyHint: true`.',
    ),
    allowedServerIds: z
      .array(id)
      .min(1)
      .max(20)
      .optional()
      .describe('Servers of the session to use in this turn.'),
    allowedTools: z
      .array(z.string().min(1).max(1000))
      .max(100)
      .optional()
      .describe('Applies to this turn. `[]` for none.'),
    maxToolCalls: z
      .number()
      .int()
      .min(0)
      .max(16)
      .optional()
      .describe('Applies to this turn. 0 offers no tools.'),
    browser: SessionBrowserInput.optional().describe(
      'Lets the model use the browser of the session in this turn. Opens one if there is none.',
    ),
  })
  .meta({ id: 'SendChatMessageRequest' });

const open = z.looseObject({});
/** Upper limit for the position of a message or a turn in its session. Far above real sessions. */
const place = z.coerce.number().int().max(1_000_000);

const TurnUsage = z
  .object({
    inputTokens: z.number().int().optional(),
    outputTokens: z.number().int().optional(),
    totalTokens: z.number().int().optional(),
  })
  .meta({ id: 'TurnUsage' });

const ChatToolCall = z
  .object({
    toolCallId: z.string(),
    toolName: z.string(),
    serverId: z.string().optional(),
    input: z.unknown(),
    status: z.enum(['ok', 'error']),
    output: z.unknown().optional(),
    errorMessage: z.string().optional(),
    truncated: z.boolean().optional(),
  })
  .meta({ id: 'ChatTurnToolCall' });

const TurnBrowser = z.object({
  attached: z.boolean(),
  reason: z.string().optional().describe('Reason if it is not.'),
  browserSessionId: z.string().optional(),
  state: BrowserState.optional(),
  policy: BrowserToolPolicy.optional(),
  effectivePolicy: EffectivePolicy.optional().describe('Policy in this turn, narrowed by `toolMode`.'),
  profileId: z.string().optional(),
  bootId: z.string().optional(),
  controlledBy: z.literal('human').nullable().optional(),
  box: z.string().nullable().optional(),
  lastActiveAt: Time.optional(),
  closedReason: z.string().optional(),
  screenshots: z.array(BrowserScreenshot).optional(),
});

const ChatTurn = z
  .object({
    sessionId: z.string().nullable().describe('`null` only if nothing was stored.'),
    chatSessionId: z.string().optional().describe('Same value as `sessionId`.'),
    turnId: z.string(),
    projectId: z.string(),
    persisted: z
      .object({
        outcome: z
          .enum(['stored', 'duplicate', 'failed', 'superseded'])
          .describe(
            '`failed`: the turn ran but could not be stored. `superseded`: another turn continued the session first.',
          ),
        version: z.number().int().optional(),
      })
      .describe('Whether the transcript was stored.'),
    origin: z.literal('api'),
    reply: z.string().optional(),
    finishReason: z.string().nullable().optional(),
    toolCalls: z.array(ChatToolCall).optional(),
    trace: z.object({ turnId: z.string(), spanCount: z.number().int(), spans: z.array(open) }).optional(),
    usage: TurnUsage.optional(),
    model: z.object({ id: z.string(), provider: z.string() }).optional(),
    toolMode: ToolMode.optional(),
    engine: z.literal('emulated').optional(),
    hostId: z.string().optional(),
    advertisedToolCount: z.number().int().optional(),
    excludedToolCount: z.number().int().optional(),
    browser: TurnBrowser.optional(),
    replay: z.literal(true).optional().describe('The turn had already run, so this request cost nothing.'),
  })
  .meta({ id: 'ChatTurn' });

const example = {
  idempotencyKey: '{idempotencyKey}',
  projectId: '{projectId}',
  modelId: 'drydock/rehearsal',
  serverIds: ['{serverId}'],
  message: 'Which ships are in the drydock?',
};

const errors = ['NOT_FOUND', 'CONFLICT', ...liveErrors] as const;

export const sendChatMessage = operation({
  command: 'chat-sessions send',
  summary: 'Send a message and wait for the reply',
  description:
    'Starts a session or continues one that was started over the API. The first turn fixes model, servers, prompt and tools. With `Accept: text/event-stream`, streams the turn.',
  method: 'POST',
  path: '/messages',
  body: SendChatMessage,
  example,
  response: ChatTurn,
  errors: [...errors],
  callsTools: true,
  spends: true,
  streamedBy: 'streamChatMessage',
});

/** Events of every turn, of chat sessions and of studies alike. Each surface adds its own event for the end. */
export const turnEvents = [
  z.object({ type: z.literal('turn.started'), sessionId: z.string(), turnId: z.string(), at: Time }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z
    .object({ type: z.literal('text.restarted') })
    .describe('Discard the text since the last tool call: the model is being asked again.'),
  z.object({
    type: z.literal('tool.started'),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown(),
  }),
  z.object({
    type: z.literal('tool.ended'),
    toolCallId: z.string(),
    toolName: z.string(),
    status: z.enum(['ok', 'error']),
    durationMs: z.number().int(),
  }),
  z.object({
    type: z.literal('turn.failed'),
    code: z.string(),
    message: z.string(),
    details: open.optional(),
  }),
] as const;

const ChatEvent = z
  .discriminatedUnion('type', [...turnEvents, z.object({ type: z.literal('turn.ended'), turn: ChatTurn })])
  .meta({ id: 'ChatTurnEvent' });

export const streamChatMessage = operation({
  command: 'chat-sessions stream',
  summary: 'Send a message and stream the reply',
  description:
    'Streams the turn that `POST /chat-sessions/messages` runs. A request that is refused before the turn starts gets an ordinary error response. Closing the connection cancels the turn.',
  method: 'POST',
  path: '/messages/events',
  body: SendChatMessage,
  example,
  response: eventStream(ChatEvent, 'Events of the turn, up to `turn.ended` or `turn.failed`.'),
  errors: [...errors],
  callsTools: true,
  spends: true,
});

export const getChatSession = operation({
  access: 'requester',
  summary: 'Read a chat session and its messages',
  path: '/{sessionId}',
  query: z.object({
    projectId: id.optional(),
    afterMessageIndex: place.min(0).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  response: z
    .object({
      sessionId: z.string(),
      chatSessionId: z.string(),
      projectId: z.string().nullable(),
      origin: z.string().nullable(),
      title: z.string().nullable(),
      modelId: z.string().nullable(),
      version: z.number().int().nullable(),
      startedAt: Time.nullable(),
      lastActivityAt: Time.nullable(),
      toolMode: ToolMode.nullable(),
      environmentId: z.string().nullable(),
      serverIds: z.array(z.string()),
      messageCount: z.number().int().nullable(),
      messages: z.array(
        z.object({
          index: z.number().int(),
          role: z.string(),
          content: z.unknown(),
          truncated: z.boolean().optional(),
        }),
      ),
      nextMessageIndex: z.number().int().optional().describe('Send it as `afterMessageIndex` to continue.'),
      turnInProgress: z.boolean(),
      apiConfigState: z.enum(['unconfigured', 'configured']),
      browser: SessionBrowser.nullable(),
      usage: z.object({ cumulativeInputTokens: z.number().int(), cumulativeOutputTokens: z.number().int() }),
    })
    .meta({ id: 'ChatSessionDetail' }),
  errors: ['NOT_FOUND'],
});

const TraceTurn = z
  .object({
    turnId: z.string(),
    promptIndex: z.number().int(),
    startedAt: Time,
    endedAt: Time,
    status: z.enum(['completed', 'failed']),
    finishReason: z.string().optional(),
    error: z.string().optional(),
    modelId: z.string().optional(),
    usage: TurnUsage.optional(),
    spanCount: z.number().int(),
    spans: z.array(open).optional(),
    spansTruncated: z.boolean().optional(),
    browser: z.object({ browserSessionId: z.string(), bootId: z.string().optional() }).optional(),
    screenshots: z.array(BrowserScreenshot).optional(),
  })
  .meta({ id: 'ChatSessionTraceTurn' });

export const getChatSessionTrace = operation({
  access: 'requester',
  command: 'chat-sessions trace',
  summary: 'Read the trace of a chat session',
  description: 'Returns the latest turn by default. Select others with `turnId` or `afterPromptIndex`.',
  path: '/{sessionId}/trace',
  query: z
    .object({
      projectId: id.optional(),
      turnId: id.optional(),
      afterPromptIndex: place.min(-1).optional(),
      limit: z.coerce.number().int().min(1).max(20).default(1),
      includeSpans: z.enum(['true', 'false']).default('true'),
    })
    .describe('`turnId` and `afterPromptIndex` are mutually exclusive.'),
  response: z
    .object({
      sessionId: z.string(),
      chatSessionId: z.string(),
      projectId: z.string().nullable(),
      origin: z.string().nullable(),
      traceVersion: z.literal(1),
      turnCount: z.number().int(),
      latestPromptIndex: z.number().int().optional(),
      turns: z.array(TraceTurn),
    })
    .meta({ id: 'ChatSessionTrace' }),
  errors: ['NOT_FOUND'],
});
