import { z } from 'zod';
import { LiveBody, liveErrors, Prompt, Resource, ResourceTemplate, Tool } from './live.ts';
import { eventStream, operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Server diagnostics',
  path: '/projects/{projectId}/servers/{serverId}',
  access: 'project member',
});

export const InitInfo = z
  .looseObject({
    protocolVersion: z.string(),
    transport: z.enum(['stdio', 'streamable-http', 'sse']),
    serverCapabilities: z.looseObject({}),
    serverVersion: z.looseObject({}).nullable(),
    serverInfo: z.looseObject({}).nullable().describe('The same as `serverVersion`.'),
    instructions: z.string().nullable(),
    clientCapabilities: z.looseObject({}),
  })
  .meta({ id: 'InitInfo', description: 'What the server said of itself when the connection was made.' });

export const validateServer = operation({
  summary: 'Connect to a server',
  description:
    'Connects anew, without a warm connection, and answers with what the server says of itself. A server that cannot be connected to is an error response; ask `doctor` for the reasons. Takes 10 seconds at most, less if a smaller `timeout` is saved.',
  method: 'POST',
  path: '/validate',
  body: LiveBody,
  example: {},
  response: z
    .object({ success: z.literal(true), status: z.literal('connected'), initInfo: InitInfo.nullable() })
    .meta({ id: 'ValidateResult' }),
  errors: liveErrors,
  readOnly: true,
  bulky: true,
});

const Check = z
  .object({ status: z.enum(['ok', 'error', 'skipped']), detail: z.string() })
  .meta({ id: 'DoctorCheck' });

const TransportAttempt = z
  .object({
    name: z.string().describe('`server/discover`, `initialize` or `events`.'),
    request: z.object({
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.unknown().optional().describe('The JSON-RPC message.'),
    }),
    response: z
      .object({
        status: z.number().int(),
        headers: z.record(z.string(), z.string()).optional(),
        contentType: z.string().optional(),
        body: z.string().optional().describe('The first 2 KiB as text.'),
      })
      .optional(),
    error: z.string().optional().describe('Why there is no answer, or not a whole one.'),
    durationMs: z.number().int(),
  })
  .meta({
    id: 'DoctorProbeAttempt',
    description: 'What was sent and what came back. Values of stored headers and tokens read `[hidden]`.',
  });

const Probe = z
  .looseObject({
    url: z.string(),
    protocolVersion: z.string().nullable(),
    supportedVersions: z.array(z.string()),
    status: z.enum(['ready', 'oauth_required', 'reachable', 'error']),
    transport: z.object({
      selected: z.enum(['streamable-http', 'sse']).nullable(),
      attempts: z.array(TransportAttempt),
    }),
    initialize: z.looseObject({}).optional(),
    oauth: z.looseObject({
      required: z.boolean(),
      optional: z.boolean(),
      wwwAuthenticate: z.string().optional(),
      resourceMetadataUrl: z.string().optional(),
      resourceMetadata: z.looseObject({}).optional(),
      authorizationServerMetadata: z.looseObject({}).optional(),
      registrationStrategies: z.array(z.enum(['preregistered', 'dcr', 'cimd'])),
      discoveryError: z.string().optional(),
    }),
    error: z.string().optional().describe('What is wrong, when nothing answers or what answers is not MCP.'),
  })
  .meta({ id: 'DoctorProbe' });

const Checks = z.object({
  probe: Check,
  connection: Check,
  initialization: Check,
  capabilities: Check,
  tools: Check,
  resources: Check,
  resourceTemplates: Check,
  prompts: Check,
});

const DoctorReport = z
  .looseObject({
    target: z.object({
      kind: z.enum(['http', 'stdio']),
      scope: z.literal('hosted').describe('The service connects, not the machine of the caller.'),
      projectId: z.string(),
      serverId: z.string(),
      label: z.string(),
      url: z.string().optional(),
    }),
    generatedAt: z.iso.datetime(),
    status: z.enum(['ready', 'oauth_required', 'partial', 'error']),
    probe: Probe.nullable(),
    connection: z.object({ status: z.enum(['connected', 'error', 'skipped']), detail: z.string() }),
    initInfo: InitInfo.nullable(),
    capabilities: z.looseObject({}).nullable(),
    tools: z.array(Tool),
    toolsMetadata: z.record(z.string(), z.unknown()),
    resources: z.array(Resource),
    resourceTemplates: z.array(ResourceTemplate),
    prompts: z.array(Prompt),
    checks: Checks,
    error: z
      .object({ code: z.string(), message: z.string(), details: z.looseObject({}).optional() })
      .nullable(),
  })
  .meta({ id: 'DoctorReport' });

const DoctorEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('check'), name: Checks.keyof(), check: Check }),
    z.object({ type: z.literal('report'), report: DoctorReport }),
  ])
  .meta({ id: 'DoctorEvent' });

export const runDoctor = operation({
  summary: 'Examine a server',
  description:
    'Looks at the address, connects, and reads everything the server lists. Whatever the server does, the answer is a report: eight checks in fixed order, each with a sentence that says what to do next. Takes 10 seconds at most, less if a smaller `timeout` is saved.',
  method: 'POST',
  path: '/doctor',
  body: LiveBody,
  example: {},
  response: DoctorReport,
  errors: ['FEATURE_NOT_SUPPORTED'],
  readOnly: true,
  bulky: true,
});

export const watchDoctor = operation({
  command: 'servers watch-doctor',
  summary: 'Examine a server, check by check',
  description:
    'Does what `doctor` does and tells each check as soon as it is made, then the whole report. Hanging up ends the examination.',
  method: 'POST',
  path: '/doctor/events',
  body: LiveBody,
  example: {},
  response: eventStream(
    DoctorEvent,
    'Checks in the order in which they are made, then the report. One that comes again under a name takes the place of the earlier one.',
  ),
  errors: ['FEATURE_NOT_SUPPORTED'],
  readOnly: true,
});

export const checkOAuth = operation({
  summary: 'Say how a server is authorized',
  description:
    'Reads what is saved, and what the server asked for when it was last called. The server is not contacted.',
  method: 'POST',
  path: '/check-oauth',
  body: LiveBody,
  example: {},
  response: z
    .object({
      useOAuth: z.boolean(),
      requiresAuthorization: z
        .boolean()
        .describe(
          'Calls will be refused with OAUTH_REQUIRED until tokens are imported: the server is saved with OAuth and has no tokens that work, or it asked for OAuth when it was last called with what is stored.',
        ),
      effectiveAuthMethod: z
        .enum(['oauth', 'xaa', 'bearer', 'none', 'discover'])
        .describe('`oauth` whenever imported tokens will be sent.'),
      serverUrl: z.string().nullable(),
      hasTokens: z.boolean().describe('Imported tokens will be sent with the next call.'),
      tokensExpireAt: Time.nullable().describe(
        'When the access token expires; null when there is none, or when that is not known. It is refreshed before, if that is possible.',
      ),
    })
    .meta({ id: 'CheckOAuthResult' }),
  readOnly: true,
});
