import { z } from 'zod';
import {
  BrowserAgentCommand,
  BrowserId,
  BrowserNoted,
  BrowserReceipt,
  BrowserState,
  BrowserToolPolicy,
  BrowserTraceEntry,
  browserErrors,
  EffectivePolicy,
  fitsBrowser,
  sentToBrowser,
  tooLongForBrowser,
} from './browser-commands.ts';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({ area: 'Agent browsers', path: '/browser-sessions', access: 'requester' });

const where = { projectId: BrowserId, sessionId: BrowserId };
const here = { projectId: '{projectId}', sessionId: '{browserSessionId}' };

const AgentBrowser = z
  .looseObject({
    sessionId: z.string(),
    projectId: z.string(),
    engine: z.literal('chromium'),
    state: BrowserState,
    bootId: z.string().nullable().describe('Changes each time the browser wakes up.'),
    runKey: z.string().nullable(),
    profile: z.string().nullable(),
    policy: BrowserToolPolicy,
    effectivePolicy: EffectivePolicy,
    createdAt: Time,
    lastActiveAt: Time,
    closedReason: z.string().optional(),
  })
  .meta({ id: 'AgentBrowser' });

export const browserAgentSession = operation({
  access: 'key',
  command: 'browser-sessions open',
  summary: 'Open a browser',
  description:
    'With a `runKey`, returns the existing browser of that key if the policy matches; a closed browser stays closed and needs a new key. Without a `runKey`, opens a new browser. Each user can have two active browsers: a third one puts the least recently used to sleep.',
  method: 'POST',
  path: '/session',
  body: z
    .strictObject({
      projectId: BrowserId,
      policy: BrowserToolPolicy,
      runKey: BrowserId.optional(),
      profile: z
        .literal('persistent')
        .optional()
        .describe(
          'Saves cookies and storage under this name and restores them in the next browser with the same name.',
        ),
    })
    .refine(fitsBrowser, tooLongForBrowser),
  example: { projectId: '{projectId}', policy: { mode: 'read_only' } },
  response: AgentBrowser,
  errors: [...browserErrors],
});

export const browserAgentSessions = operation({
  access: 'key',
  command: 'browser-sessions list',
  summary: 'List your browsers in a project',
  description: 'Latest 200, newest first.',
  method: 'POST',
  path: '/sessions',
  readOnly: true,
  body: z.strictObject({ projectId: BrowserId }),
  example: { projectId: '{projectId}' },
  response: z.object({ sessions: z.array(AgentBrowser) }).meta({ id: 'AgentBrowserList' }),
  errors: ['NOT_FOUND'],
});

export const browserAgentCommand = operation({
  command: 'browser-sessions command',
  summary: 'Send a command to a browser',
  description:
    'Wakes the browser up if it is asleep. A command that the policy forbids returns `refused` and does not run. Screenshots are returned as URLs.',
  method: 'POST',
  path: '/command',
  callsTools: true,
  body: z
    .strictObject({ ...where, command: BrowserAgentCommand, ...sentToBrowser })
    .refine(fitsBrowser, tooLongForBrowser),
  example: { ...here, command: { op: 'observe', mode: 'url' } },
  response: BrowserReceipt,
  errors: [...browserErrors],
});

export const browserAgentNote = operation({
  command: 'browser-sessions note',
  summary: 'Add a note to the trace of a browser',
  method: 'POST',
  path: '/note',
  body: z.strictObject({ ...where, text: z.string().min(1).max(4096), ...sentToBrowser }),
  example: { ...here, text: 'The form is filled in.' },
  response: BrowserNoted,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const browserAgentTrace = operation({
  command: 'browser-sessions trace',
  summary: 'Read the trace of a browser',
  method: 'POST',
  path: '/trace',
  readOnly: true,
  body: z.strictObject({
    ...where,
    afterSeq: z.number().int().min(0).optional(),
    limit: z.number().int().min(1).max(100).optional(),
    commandId: BrowserId.optional(),
  }),
  example: here,
  response: z.object({ entries: z.array(BrowserTraceEntry) }).meta({ id: 'BrowserTrace' }),
  errors: ['NOT_FOUND'],
});

export const browserAgentArtifact = operation({
  command: 'browser-sessions artifact',
  summary: 'Read the screenshot of a command',
  method: 'POST',
  path: '/artifact',
  readOnly: true,
  body: z.strictObject({ ...where, artifactId: BrowserId.describe('The `commandId`.') }),
  example: { ...here, artifactId: 'look-1' },
  response: z
    .object({
      screenshot: z.string().nullable().describe('PNG in base64; `null` if the command took no screenshot.'),
    })
    .meta({ id: 'BrowserArtifact' }),
  errors: ['NOT_FOUND'],
});

export const browserAgentClose = operation({
  command: 'browser-sessions close',
  summary: 'Close a browser',
  description: 'Discards cookies and storage unless the browser has a profile. The trace is kept.',
  method: 'POST',
  path: '/close',
  body: z.strictObject(where),
  example: here,
  response: AgentBrowser,
  errors: ['NOT_FOUND'],
});
