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
    serverInfo: z.looseObject({}).nullable().describe('Same value as `serverVersion`.'),
    instructions: z.string().nullable(),
    clientCapabilities: z.looseObject({}),
  })
  .meta({ id: 'InitInfo', description: 'Server information from the handshake.' });

export const validateServer = operation({
  summary: 'Connect to a server',
  description:
    'Opens a new connection and returns the server information from the handshake. Returns an error if the connection fails; run `doctor` to find the cause. Limit: 10 seconds, or the saved `timeout` if smaller.',
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
        body: z.string().optional().describe('First 2 KiB as text.'),
      })
      .optional(),
    error: z.string().optional().describe('Why the response is missing or incomplete.'),
    durationMs: z.number().int(),
  })
  .meta({
    id: 'DoctorProbeAttempt',
    description: 'Request and response. Values of stored headers and tokens are replaced by `[hidden]`.',
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
    error: z.string().optional().describe('Set if nothing answers, or the answer is not MCP.'),
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
      scope: z.literal('hosted').describe('The service connects, not the caller.'),
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
  summary: 'Diagnose a server',
  description:
    'Checks the URL, connects, and reads everything the server lists. Always returns a report: eight checks in fixed order, each with a next step. Limit: 10 seconds, or the saved `timeout` if smaller.',
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
  summary: 'Diagnose a server and stream the checks',
  description:
    'Runs `doctor` and streams each check as it completes, then the report. Closing the connection stops the checks.',
  method: 'POST',
  path: '/doctor/events',
  body: LiveBody,
  example: {},
  response: eventStream(
    DoctorEvent,
    'Checks in order of completion, then the report. A check with a name that was already sent replaces the earlier one.',
  ),
  errors: ['FEATURE_NOT_SUPPORTED'],
  readOnly: true,
});

export const checkOAuth = operation({
  summary: 'Read the authorization status of a server',
  description:
    'Based on the saved configuration and the last response of the server. Does not contact the server.',
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
          'Whether calls fail with OAUTH_REQUIRED until tokens are imported: either the server is saved with OAuth but has no valid tokens, or it required OAuth on the last call.',
        ),
      effectiveAuthMethod: z
        .enum(['oauth', 'xaa', 'bearer', 'none', 'discover'])
        .describe('`oauth` if imported tokens are sent.'),
      serverUrl: z.string().nullable(),
      hasTokens: z.boolean().describe('Whether imported tokens are sent with the next call.'),
      tokensExpireAt: Time.nullable().describe(
        'Expiry of the access token. `null` if there is no token or its expiry is unknown. The token is refreshed before it expires, if possible.',
      ),
    })
    .meta({ id: 'CheckOAuthResult' }),
  readOnly: true,
});
