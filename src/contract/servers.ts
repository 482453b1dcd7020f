import { z } from 'zod';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { PersonalEnv } from './variables.ts';

const operation = operationsIn({
  area: 'Servers',
  path: '/projects/{projectId}/servers',
  access: 'project member',
});

const ProjectServer = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    transportType: z.enum(['http', 'stdio']),
    url: z.string().nullable(),
    useOAuth: z.boolean(),
    hasClientSecret: z.boolean(),
    oauthScopes: z.array(z.string()),
    headerNames: z.array(z.string()).describe('Names of the stored headers. Values are never returned.'),
    envNames: z.array(z.string()).describe('Names of the stored variables. Values are never returned.'),
    personalEnv: z
      .array(z.string())
      .optional()
      .describe('For a stdio server: variables that personal secrets can fill.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'ProjectServer' });

export const HttpUrl = httpUrl('put it in `headers`');

/** `instead` is the advice for URLs with a password. */
export function httpUrl(instead: string) {
  return (
    z
      .string()
      // Parsing a URL takes time that grows with the square of its length.
      .max(4096, { abort: true })
      .superRefine((value, check) => {
        const problem = problemOfUrl(value, instead);
        if (problem) check.addIssue({ code: 'custom', message: problem });
      })
      .meta({ format: 'uri' })
  );
}

function problemOfUrl(value: string, instead: string): string | undefined {
  if (!URL.canParse(value)) return 'Not a URL; write it in full, like https://example.com/mcp';
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https URLs are supported';
  if (url.username || url.password) return `A URL may not carry a user name or password; ${instead}`;
  return undefined;
}

/** Headers that the connection sets itself. Overriding them would break the request. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const HeaderName = z
  .string()
  .max(256)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Not a header name')
  .refine((name) => !ownHeaders.has(name.toLowerCase()), 'Reserved: the connection sets this header');
export const HeaderValue = z
  .string()
  .max(16384)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'A header value is one line of Latin-1 text');
const EnvName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Not the name of an environment variable');

const short = z.string().max(500);

const maxEntries = 256;

/** Limits the number of entries, because every response lists their names. */
function limited<Named extends z.ZodType<Record<string, string>>>(record: Named): Named {
  return record
    .refine((named) => Object.keys(named).length <= maxEntries, `Has more than ${maxEntries} entries`)
    .meta({ maxProperties: maxEntries });
}

function namesDiffer(headers: Record<string, string>): boolean {
  const names = Object.keys(headers);
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

/** Writable fields of a saved server. */
export const serverFields = {
  name: Name,
  enabled: z.boolean().describe('Whether runs use the server.'),
  transportType: z.enum(['stdio', 'http']).describe('`http` requires `url`, `stdio` requires `command`.'),
  command: z.string().min(1).max(4096).describe('Executed without a shell.'),
  args: z.array(z.string().max(8192)).max(256),
  env: limited(z.record(EnvName, z.string().max(65536))).describe('Stored encrypted, never returned.'),
  personalEnv: PersonalEnv.describe(
    'For a stdio server: variables that personal secrets of the user who starts a run can fill, overriding stored values. Default: none.',
  ),
  url: HttpUrl,
  headers: limited(z.record(HeaderName, HeaderValue))
    .refine(namesDiffer, 'Must not repeat a header; header names are case-insensitive')
    .describe('Stored encrypted, never returned.'),
  hasBearerToken: z.boolean().describe('Whether `headers` contain a bearer token.'),
  timeout: z.number().int().min(1).max(600_000).describe('Request timeout in milliseconds.'),
  clientCapabilities: z.record(z.string(), z.unknown()).describe('MCP client capabilities to declare.'),
  useOAuth: z.boolean().describe('Whether the server requires OAuth.'),
  oauthScopes: z.array(short).max(100).describe('Scopes to request.'),
  clientId: short.describe('OAuth client ID, if the client is preregistered.'),
  oauthResourceUrl: HttpUrl.describe('Resource indicator, if it differs from `url`.'),
  oauthProtocolMode: short,
  oauthProtocolVersion: short,
  oauthRegistrationStrategy: short,
  xaaAuthzIssuer: short,
  xaaAllowPathScopedIssuer: z.boolean(),
  oauthAllowPathScopedIssuer: z.boolean(),
  useXaa: z.boolean().describe('Use cross-app access; the `xaa…` fields configure it.'),
  authServerMode: z
    .enum(['mcpjam', 'own'])
    .describe('Authorization server that issues assertions. Kept for compatibility.'),
  xaaSubject: short,
  xaaEmail: short,
  xaaIdentityAssertionFormat: short,
  xaaClientAuth: short,
  authMethod: short.describe('Authorization method. Takes precedence over `useOAuth` and `useXaa`.'),
  registrationMode: short,
  clientSecret: z.string().min(1).max(16384).describe('Stored encrypted, never returned.'),
};

const ServerCreateRequest = z
  .strictObject({ name: serverFields.name })
  .extend(z.object(serverFields).omit({ name: true }).partial().shape)
  .superRefine((body, check) => {
    const transport = body.transportType ?? (body.command === undefined ? 'http' : 'stdio');
    const problem = problemOfTransport({ ...body, transportType: transport });
    if (problem) check.addIssue({ code: 'custom', ...problem });
  })
  .meta({
    id: 'ProjectServerCreateRequest',
    description:
      'Only `name` and `url` are required. `enabled` defaults to true and `transportType` to http.',
  });

/** Problem with a combination of fields: each transport has its own address field. */
export function problemOfTransport(server: {
  transportType: 'stdio' | 'http';
  url?: unknown;
  command?: unknown;
  personalEnv?: unknown;
}): { path: string[]; message: string } | undefined {
  const http = server.transportType === 'http';
  const needed = http ? 'url' : 'command';
  const unused = http ? (['command', 'personalEnv'] as const) : (['url'] as const);
  if (server[needed] === undefined)
    return { path: [needed], message: `Required for a server with transportType ${server.transportType}` };
  const foreign = unused.find((field) => server[field] !== undefined);
  if (foreign !== undefined)
    return { path: [foreign], message: `Not used by a server with transportType ${server.transportType}` };
  return undefined;
}

const ServerUpdateRequest = z
  .strictObject(serverFields)
  .partial()
  .extend({
    clearClientSecret: z.boolean().optional(),
    clearXaaConfig: z.boolean().optional(),
  })
  .superRefine((body, check) => {
    if (Object.keys(body).length === 0)
      check.addIssue({ code: 'custom', message: 'Give at least one field to change' });
    if (body.clearClientSecret && body.clientSecret !== undefined)
      check.addIssue({
        code: 'custom',
        path: ['clearClientSecret'],
        message: 'Send either clientSecret or clearClientSecret',
      });
  })
  .meta({
    id: 'ProjectServerUpdateRequest',
    description: 'Omitted fields keep their value. `headers` and `env` replace the stored set.',
  });

export const listProjectServers = operation({
  summary: "List a project's servers",
  query: z.object(lookupPage),
  response: pageOf(ProjectServer, 'ProjectServerPage'),
});

export const createProjectServer = operation({
  summary: 'Create a server',
  method: 'POST',
  body: ServerCreateRequest,
  example: { name: 'weather', url: 'https://weather.example.com/mcp' },
  status: 201,
  response: ProjectServer,
  errors: ['CONFLICT', 'FORBIDDEN'],
  idempotency: 'transaction',
});

export const getProjectServer = operation({
  summary: 'Read a server',
  path: '/{serverId}',
  response: ProjectServer,
});

export const updateProjectServer = operation({
  summary: 'Edit a server',
  description:
    'Stored headers, variables and the client secret are only sent to the target they were saved for. If the scheme, host or port of `url`, the `command`, its `args` or the transport change, stored values that the request does not send again are deleted. The client secret is also deleted if `oauthResourceUrl` moves to another origin or `xaaAuthzIssuer` changes. `droppedSecrets` lists the deleted values. Changing the path or query keeps them.',
  method: 'PATCH',
  path: '/{serverId}',
  body: ServerUpdateRequest,
  example: { enabled: false },
  response: ProjectServer.extend({
    droppedSecrets: z
      .array(z.enum(['headers', 'env', 'clientSecret']))
      .optional()
      .describe('Stored values that were deleted because the target has changed. Send them again.'),
  }).meta({ id: 'ProjectServerUpdated' }),
  errors: ['CONFLICT', 'FORBIDDEN'],
});

export const deleteProjectServer = operation({
  summary: 'Delete a server',
  method: 'DELETE',
  path: '/{serverId}',
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'ProjectServerDeleted' }),
  errors: ['CONFLICT'],
});
