import { z } from 'zod';
import { Time } from './paging.ts';

/** Ids and keys that whoever asks has chosen, or that we gave out. */
export const BrowserId = z.string().min(1).max(128);

export const BrowserToolPolicy = z
  .strictObject({
    mode: z
      .enum(['allow_all', 'read_only', 'allowlist'])
      .describe(
        '`read_only` looks and moves about; `allowlist` does what the lists say, and without any list nothing. A list restricts under every mode.',
      ),
    originAllowlist: z
      .array(z.string().min(1).max(300))
      .max(100)
      .optional()
      .describe('Like `https://example.com`, `https://*.example.com`, or `example.com` for both schemes.'),
    toolAllowlist: z
      .array(z.string().min(1).max(200))
      .max(100)
      .optional()
      .describe(
        'Commands by their op or verb, like `navigate`, `act` or `click`; `invoke_page_tool:NAME` is one tool of pages.',
      ),
  })
  .meta({ id: 'BrowserToolPolicy' });

export const browserVerbs = [
  'click',
  'type',
  'press',
  'scroll',
  'hover',
  'drag',
  'select',
  'close_tab',
  'activate_tab',
  'accept_dialog',
  'dismiss_dialog',
] as const;

const observeAfter = z.enum(['a11y', 'screenshot', 'none']).optional();

const Target = z.union([
  z.strictObject({ ref: z.string().min(1).max(128) }),
  z.strictObject({ selector: z.string().min(1).max(4096) }),
  z.strictObject({ coordinates: z.tuple([z.number(), z.number()]) }),
]);

export const BrowserAgentCommand = z
  .discriminatedUnion('op', [
    z.strictObject({ op: z.enum(['back', 'forward', 'reload']), observeAfter }),
    z.strictObject({
      op: z.literal('navigate'),
      url: z.string().min(1).max(8192),
      newTab: z.boolean().optional(),
      observeAfter,
    }),
    z.strictObject({
      op: z.literal('observe'),
      mode: z.enum([
        'a11y',
        'screenshot',
        'text',
        'dom',
        'console',
        'network',
        'dialog',
        'url',
        'page_tools',
      ]),
      requestId: z.string().min(1).max(128).optional(),
      rootRef: z.string().min(1).max(128).optional(),
      rootSelector: z.string().min(1).max(4096).optional(),
      filter: z.enum(['interactive', 'all']).optional(),
    }),
    z.strictObject({
      op: z.literal('act'),
      verb: z.enum(browserVerbs),
      target: Target.optional(),
      value: z
        .string()
        .max(16_000)
        .optional()
        .describe('What to type, which key, option, tab or direction. What is typed is kept as its length.'),
      expectedState: z
        .string()
        .max(4096)
        .optional()
        .describe('The `state` of an earlier answer, or an address; refused when the page is another.'),
      observeAfter,
    }),
    z.strictObject({
      op: z.literal('invoke_page_tool'),
      toolKey: z.string().min(1).max(128),
      frameId: z.string().min(1).max(128).optional(),
      input: z.unknown(),
    }),
    z.strictObject({ op: z.literal('cancel_page_tool'), invocationId: z.string().min(1).max(128) }),
  ])
  .meta({ id: 'BrowserAgentCommand' });

export const SessionBrowserInput = z
  .strictObject({
    policy: BrowserToolPolicy.optional().describe('`read_only` when left out.'),
    profileId: BrowserId.optional().describe(
      'What is stored in the browser is kept under this name, for the next one that says it.',
    ),
  })
  .meta({ id: 'SessionBrowserInput' });

/** What whoever sends a command or a note can say about it. */
export const sentToBrowser = {
  commandId: BrowserId.optional().describe(
    'The same for every attempt: a repetition is answered with the receipt, and nothing is done again.',
  ),
  tabId: BrowserId.optional(),
};

export const EffectivePolicy = z
  .object({ tools: z.array(z.string()).nullable(), origins: z.array(z.string()).nullable() })
  .describe('Null where nothing is restricted, `[]` where nothing is allowed.');

export const BrowserState = z.enum(['active', 'sleeping', 'closed']);

export const SessionBrowser = z
  .object({
    browserSessionId: z.string(),
    state: BrowserState,
    policy: BrowserToolPolicy.optional(),
    effectivePolicy: EffectivePolicy.optional(),
    profileId: z.string().optional(),
    bootId: z.string().optional().describe('Another one each time that it wakes up.'),
    controlledBy: z.literal('human').nullable().optional(),
    box: z.string().nullable().optional(),
    lastActiveAt: Time.optional(),
    closedReason: z.string().optional(),
  })
  .meta({ id: 'SessionBrowser' });

const Picture = z.looseObject({
  artifactId: z.string(),
  url: z.string().describe('Works for some minutes, without a key.'),
  mediaType: z.literal('image/png'),
  bytes: z.number().int(),
});

/** What became of a command, now or when it was sent first. */
export const BrowserReceipt = z
  .looseObject({
    sessionId: z.string(),
    commandId: z.string(),
    seq: z.number().int(),
    result: z
      .enum(['executed', 'refused', 'unknown'])
      .describe(
        '`refused`: nothing was done. `unknown`: it was begun, and whether it had its effect cannot be told; look before sending it under another `commandId`.',
      ),
    reason: z.string().optional(),
    refusal: z.enum(['not-allowed', 'refused']).optional(),
    policy: BrowserToolPolicy.optional().describe('The one that refused.'),
    screenshot: Picture.optional(),
    replay: z.literal(true).optional(),
  })
  .meta({ id: 'BrowserReceipt' });

export const BrowserNoted = z
  .looseObject({
    sessionId: z.string(),
    commandId: z.string(),
    seq: z.number().int(),
    replay: z.literal(true).optional(),
  })
  .meta({ id: 'BrowserNoted' });

export const BrowserTraceEntry = z
  .looseObject({
    seq: z.number().int(),
    kind: z.enum(['command', 'note', 'event']),
    at: Time,
    commandId: z.string().optional(),
    bootId: z.string().optional(),
  })
  .meta({ id: 'BrowserTraceEntry' });

export const BrowserScreenshot = z
  .object({
    toolCallId: z.string(),
    stepIndex: z.number().int(),
    turnId: z.string().optional(),
    toolName: z.string().optional(),
    status: z.enum(['ready', 'not_captured', 'unavailable']).optional(),
    url: z.string().optional(),
    mediaType: z.literal('image/png').optional(),
    bytes: z.number().int().optional(),
    ts: Time.optional(),
  })
  .meta({ id: 'BrowserScreenshot' });

/** Characters of JSON in the body of such an operation. */
const mostCharacters = 64_000;

export function fitsBrowser(body: unknown): boolean {
  return JSON.stringify(body).length <= mostCharacters;
}

export const tooLongForBrowser = `The body must be at most ${mostCharacters} characters of JSON`;

export const browserErrors = [
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'FEATURE_NOT_SUPPORTED',
  'SERVER_UNREACHABLE',
  'TIMEOUT',
] as const;
