import { z } from 'zod';
import { Time } from './paging.ts';

/** IDs and keys, chosen by the caller or generated here. */
export const BrowserId = z.string().min(1).max(128);

export const BrowserToolPolicy = z
  .strictObject({
    mode: z
      .enum(['allow_all', 'read_only', 'allowlist'])
      .describe(
        '`read_only` allows reading and navigation; `allowlist` allows only what the lists name, so nothing without a list. Lists restrict every mode.',
      ),
    originAllowlist: z
      .array(z.string().min(1).max(300))
      .max(100)
      .optional()
      .describe(
        'For example `https://example.com`, `https://*.example.com`, or `example.com` for both schemes.',
      ),
    toolAllowlist: z
      .array(z.string().min(1).max(200))
      .max(100)
      .optional()
      .describe(
        'Commands by op or verb, like `navigate`, `act` or `click`. `invoke_page_tool:NAME` is a single page tool.',
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
        .describe(
          'Text to type, or the key, option, tab or direction. The trace keeps only the length of typed text.',
        ),
      expectedState: z
        .string()
        .max(4096)
        .optional()
        .describe('`state` of an earlier response, or a URL. The command is refused if the page differs.'),
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
    policy: BrowserToolPolicy.optional().describe('Default `read_only`.'),
    profileId: BrowserId.optional().describe(
      'Saves cookies and storage under this name and restores them in the next browser with the same name.',
    ),
  })
  .meta({ id: 'SessionBrowserInput' });

/** Fields common to commands and notes. */
export const sentToBrowser = {
  commandId: BrowserId.optional().describe(
    'Use one ID for all attempts: a repeated command returns the first receipt and does not run again.',
  ),
  tabId: BrowserId.optional(),
};

export const EffectivePolicy = z
  .object({ tools: z.array(z.string()).nullable(), origins: z.array(z.string()).nullable() })
  .describe('`null`: no restriction. `[]`: nothing is allowed.');

export const BrowserState = z.enum(['active', 'sleeping', 'closed']);

export const SessionBrowser = z
  .object({
    browserSessionId: z.string(),
    state: BrowserState,
    policy: BrowserToolPolicy.optional(),
    effectivePolicy: EffectivePolicy.optional(),
    profileId: z.string().optional(),
    bootId: z.string().optional().describe('Changes each time the browser wakes up.'),
    controlledBy: z.literal('human').nullable().optional(),
    box: z.string().nullable().optional(),
    lastActiveAt: Time.optional(),
    closedReason: z.string().optional(),
  })
  .meta({ id: 'SessionBrowser' });

const Picture = z.looseObject({
  artifactId: z.string(),
  url: z.string().describe('Works for a few minutes without an API key.'),
  mediaType: z.literal('image/png'),
  bytes: z.number().int(),
});

/** Outcome of a command. A repeated command gets the first outcome. */
export const BrowserReceipt = z
  .looseObject({
    sessionId: z.string(),
    commandId: z.string(),
    seq: z.number().int(),
    result: z
      .enum(['executed', 'refused', 'unknown'])
      .describe(
        '`refused`: the command did not run. `unknown`: the command started, but its effect is not known; check the page before you send it with another `commandId`.',
      ),
    reason: z.string().optional(),
    refusal: z.enum(['not-allowed', 'refused']).optional(),
    policy: BrowserToolPolicy.optional().describe('The policy that refused the command.'),
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

/** Maximum size of a command's body, in characters of JSON. */
const maxCharacters = 64_000;

export function fitsBrowser(body: unknown): boolean {
  return JSON.stringify(body).length <= maxCharacters;
}

export const tooLongForBrowser = `The body must be at most ${maxCharacters} characters of JSON`;

export const browserErrors = [
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'FEATURE_NOT_SUPPORTED',
  'SERVER_UNREACHABLE',
  'TIMEOUT',
] as const;
