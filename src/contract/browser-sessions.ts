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
    bootId: z.string().nullable().describe('Another one each time that it wakes up.'),
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
  summary: 'Open a browser, or find the one of a run',
  description:
    'With a `runKey` the browser of this key is found again, as long as the policy is the same; one that was closed stays closed, so that a new browser needs a new key. Without one it is a fresh browser. Two of a person are awake at once: a third puts the one that was used longest ago to sleep.',
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
        .describe('What is stored in the browser is there again in the next one that says so.'),
    })
    .refine(fitsBrowser, tooLongForBrowser),
  example: { projectId: '{projectId}', policy: { mode: 'read_only' } },
  response: AgentBrowser,
  errors: [...browserErrors],
});

export const browserAgentSessions = operation({
  access: 'key',
  command: 'browser-sessions list',
  summary: 'List own browsers of a project',
  description: 'The latest 200, newest first.',
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
    'Wakes it up where it sleeps. A command that the policy forbids is answered as `refused`, and has changed nothing. Pictures are answered as addresses.',
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
  summary: 'Write a note into the trace of a browser',
  method: 'POST',
  path: '/note',
  body: z.strictObject({ ...where, text: z.string().min(1).max(4096), ...sentToBrowser }),
  example: { ...here, text: 'The form is filled in.' },
  response: BrowserNoted,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const browserAgentTrace = operation({
  command: 'browser-sessions trace',
  summary: 'Read what happened in a browser',
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
  summary: 'Read the picture that a command took',
  method: 'POST',
  path: '/artifact',
  readOnly: true,
  body: z.strictObject({ ...where, artifactId: BrowserId.describe('The `commandId`.') }),
  example: { ...here, artifactId: 'look-1' },
  response: z
    .object({ screenshot: z.string().nullable().describe('PNG in base64; null when it took none.') })
    .meta({ id: 'BrowserArtifact' }),
  errors: ['NOT_FOUND'],
});

export const browserAgentClose = operation({
  command: 'browser-sessions close',
  summary: 'Close a browser',
  description: 'What it has stored is gone, unless it has a profile. Its trace stays.',
  method: 'POST',
  path: '/close',
  body: z.strictObject(where),
  example: here,
  response: AgentBrowser,
  errors: ['NOT_FOUND'],
});
