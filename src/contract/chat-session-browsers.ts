import { z } from 'zod';
import {
  BrowserAgentCommand,
  BrowserId,
  BrowserNoted,
  BrowserReceipt,
  BrowserToolPolicy,
  BrowserTraceEntry,
  browserErrors,
  fitsBrowser,
  SessionBrowser,
  SessionBrowserInput,
  sentToBrowser,
  tooLongForBrowser,
} from './browser-commands.ts';
import { operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Sessions',
  path: '/chat-sessions/{sessionId}/browser',
  access: 'requester',
});
const creating = operationsIn({ area: 'Sessions', path: '/chat-sessions', access: 'key' });

const Opened = z
  .object({
    sessionId: z.string(),
    chatSessionId: z.string(),
    projectId: z.string(),
    browser: SessionBrowser,
  })
  .meta({ id: 'SessionBrowserOpened' });

export const createChatSessionBrowser = creating({
  command: 'chat-sessions browser-create',
  summary: 'Start a chat session with a browser',
  description:
    'The first message sent to the session sets its model, servers and tools. Repeating the request with the same `idempotencyKey` returns the same session.',
  method: 'POST',
  path: '/browser',
  body: z.strictObject({
    projectId: BrowserId,
    policy: BrowserToolPolicy,
    idempotencyKey: z.string().regex(/^[\x20-\x7e]{1,200}$/, 'Write 1 to 200 printable ASCII characters'),
    profileId: BrowserId.optional(),
  }),
  example: {
    projectId: '{projectId}',
    policy: { mode: 'read_only' },
    idempotencyKey: '{idempotencyKey}',
  },
  response: Opened,
  errors: [...browserErrors],
});

export const chatSessionBrowserOpen = operation({
  command: 'chat-sessions browser-open',
  summary: 'Open the browser of a chat session',
  description: 'A session has one browser. To change its policy, close the browser first.',
  method: 'POST',
  path: '/open',
  body: SessionBrowserInput,
  example: { policy: { mode: 'read_only' } },
  response: Opened,
  errors: [...browserErrors],
});

export const chatSessionBrowserCommand = operation({
  command: 'chat-sessions browser-command',
  summary: 'Send a command to the browser of a chat session',
  method: 'POST',
  path: '/command',
  callsTools: true,
  body: z
    .strictObject({ command: BrowserAgentCommand, ...sentToBrowser })
    .refine(fitsBrowser, tooLongForBrowser),
  example: { command: { op: 'observe', mode: 'url' } },
  response: BrowserReceipt,
  errors: [...browserErrors],
});

export const chatSessionBrowserNote = operation({
  command: 'chat-sessions browser-note',
  summary: 'Add a note to the browser trace of a chat session',
  method: 'POST',
  path: '/note',
  body: z.strictObject({ text: z.string().min(1).max(4096), ...sentToBrowser }),
  example: { text: 'The form is filled in.' },
  response: BrowserNoted,
  errors: ['CONFLICT'],
});

export const chatSessionBrowserTrace = operation({
  command: 'chat-sessions browser-trace',
  summary: 'Read the browser trace of a chat session',
  method: 'POST',
  path: '/trace',
  readOnly: true,
  body: z.strictObject({
    afterSeq: z.number().int().min(0).optional(),
    limit: z.number().int().min(1).max(100).optional(),
  }),
  example: {},
  response: z
    .object({ browserSessionId: z.string(), entries: z.array(BrowserTraceEntry) })
    .meta({ id: 'SessionBrowserTrace' }),
  errors: ['CONFLICT'],
});

export const chatSessionBrowserArtifact = operation({
  command: 'chat-sessions browser-artifact',
  summary: 'Get the screenshot URL of a command',
  method: 'POST',
  path: '/artifact',
  readOnly: true,
  body: z.strictObject({ commandId: BrowserId }),
  example: { commandId: 'look-1' },
  response: z
    .object({
      commandId: z.string(),
      status: z.enum(['ready', 'not_captured']),
      url: z.string().optional().describe('Works for a few minutes without an API key.'),
      mediaType: z.literal('image/png').optional(),
      bytes: z.number().int().optional(),
    })
    .meta({ id: 'SessionBrowserArtifact' }),
  errors: ['CONFLICT'],
});

export const chatSessionBrowserClose = operation({
  command: 'chat-sessions browser-close',
  summary: 'Close the browser of a chat session',
  description: 'The session stays open and can open another browser.',
  method: 'POST',
  path: '/close',
  body: z.strictObject({}),
  example: {},
  response: Opened,
  errors: ['CONFLICT'],
});
