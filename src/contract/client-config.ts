import { z } from 'zod';
import { BrowserToolPolicy } from './browser-commands.ts';
import { writeLike } from './messages.ts';
import { HeaderName, HeaderValue } from './servers.ts';

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

/** Settings that can be changed one by one. All others are replaced with the whole configuration. */
export const clientSettings = {
  modelId: z.string().trim().min(1, 'Must not be blank').max(500).describe('Model to run.'),
  systemPrompt: z.string().max(200_000),
  temperature: z.number().min(0).max(2),
  requireToolApproval: z.boolean(),
  connectionDefaults: ConnectionDefaults,
  respectToolVisibility: z.boolean().describe('Hide tools that are marked as app-only from the model.'),
  progressiveToolDiscovery: z.boolean().describe('Show the model a few tools first and more on demand.'),
  harness: z.enum(['claude-code', 'codex', 'cursor']),
  computer: Computer,
  builtInToolIds: ids,
  skillSelection: SkillSelection,
  modelVisibleMcpToolResults: anything,
  mcpToolResultImageRendering: anything,
  mcpProfile: anything.describe(
    'Protocol settings: `mcpProtocolVersion`, `initialize.clientInfo`, `initialize.supportedProtocolVersions`, `apps.compatRuntime.openaiApps`.',
  ),
  hostCapabilitiesOverride: anything,
  chatUiOverride: anything,
  browserPolicy: BrowserToolPolicy.describe(
    'Upper limit for browsers in chat turns that run as this client, whatever the session grants.',
  ),
};

const whole = {
  hostStyle: z.string().min(1).max(100),
  serverIds: ids.describe('Required servers: a run fails if one does not connect.'),
  optionalServerIds: ids.describe('Optional servers. Runs connect to them as to required ones.'),
  clientCapabilities: anything,
  hostContext: anything,
  oauthProfile: anything,
  serverConnectionOverrides: z.record(z.string(), anything),
};

/** A configuration as callers write it: all fields except the model are optional, and unknown fields are kept. */
export const ClientConfigInput = z
  .looseObject({ ...clientSettings, ...whole })
  .partial()
  .extend({ modelId: clientSettings.modelId })
  .meta({ id: 'ClientConfigInput' });

export const ClientConfig = z.looseObject({ schemaVersion: z.literal(2), modelId: z.string() }).meta({
  id: 'ClientConfig',
  description: 'Configuration with all defaults filled in. Can be sent back unchanged.',
});
