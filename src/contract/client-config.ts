import { z } from 'zod';
import { BrowserToolPolicy } from './browser-commands.ts';
import { HeaderName, HeaderValue } from './servers.ts';
import { writeLike } from './write-like.ts';

const ids = z.array(z.string().min(1).max(200)).max(256);
const anything = z.record(z.string(), z.unknown());

const likeDefaults = writeLike('{"headers": {}, "requestTimeout": 10000}');
const ConnectionDefaults = z.strictObject(
  {
    headers: z.record(HeaderName, HeaderValue, likeDefaults),
    requestTimeout: z.number(likeDefaults).int().min(1).max(600_000).describe('Milliseconds.'),
  },
  likeDefaults,
);

const Computer = z.looseObject({
  kind: z.enum(['personal', 'ephemeral']),
  workdir: z.string().max(4096).optional(),
});

const likeSelection = writeLike('{"mode": "all-visible"} or {"mode": "explicit", "skillIds": ["…"]}');
const SkillSelection = z.discriminatedUnion(
  'mode',
  [
    z.strictObject({ mode: z.literal('all-visible') }),
    z.strictObject({
      mode: z.literal('explicit'),
      skillIds: z.array(z.string().min(1).max(200), likeSelection).max(256),
    }),
  ],
  likeSelection,
);

/** Each setting that can be written by itself; the others belong to the whole. */
export const clientSettings = {
  modelId: z.string().trim().min(1, 'Must not be blank').max(500).describe('The model to run.'),
  systemPrompt: z.string().max(200_000),
  temperature: z.number().min(0).max(2),
  requireToolApproval: z.boolean(),
  connectionDefaults: ConnectionDefaults,
  respectToolVisibility: z.boolean().describe('Leave out tools that are marked for the app only.'),
  progressiveToolDiscovery: z.boolean().describe('Show the model a few tools at first and more on demand.'),
  harness: z.enum(['claude-code', 'codex', 'cursor']),
  computer: Computer,
  builtInToolIds: ids,
  skillSelection: SkillSelection,
  modelVisibleMcpToolResults: anything,
  mcpToolResultImageRendering: anything,
  mcpProfile: anything.describe(
    'How the protocol is spoken: `mcpProtocolVersion`, `initialize.clientInfo`, `initialize.supportedProtocolVersions`, `apps.compatRuntime.openaiApps`.',
  ),
  hostCapabilitiesOverride: anything,
  chatUiOverride: anything,
  browserPolicy: BrowserToolPolicy.describe(
    'Bounds the browsers of chat sessions in turns that run as this client, whatever they were granted.',
  ),
};

const whole = {
  hostStyle: z.string().min(1).max(100),
  serverIds: ids.describe('Servers that must connect.'),
  optionalServerIds: ids.describe('Servers that are attached and need not connect.'),
  clientCapabilities: anything,
  hostContext: anything,
  oauthProfile: anything,
  serverConnectionOverrides: z.record(z.string(), anything),
};

/** A configuration as it may be written: all fields but the model have defaults, and unknown ones are kept. */
export const ClientConfigInput = z
  .looseObject({ ...clientSettings, ...whole })
  .partial()
  .extend({ modelId: clientSettings.modelId })
  .meta({ id: 'ClientConfigInput' });

export const ClientConfig = z
  .looseObject({ schemaVersion: z.literal(2), modelId: z.string() })
  .meta({ id: 'ClientConfig', description: 'With every default filled in. May be written back as it is.' });
