import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

const ProtocolVersion = z.enum(protocolVersions);

/** Options of every operation on a live server. Unknown fields are ignored. */
export const liveOptions = {
  serverName: z.string().max(1000).optional().describe('Ignored. Kept for compatibility.'),
  oauthAccessToken: z
    .string()
    .min(1)
    .max(16384)
    .regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces')
    .optional()
    .describe('Replaces the stored token for this call.'),
  clientInfo: z
    .looseObject({ name: z.string().min(1).max(200), version: z.string().min(1).max(100) })
    .optional()
    .describe('Client info to send to the server.'),
  clientCapabilities: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Overrides the client capabilities that are saved with the server.'),
  mcpProtocolVersion: ProtocolVersion.optional().describe(
    'Protocol revision to require. The call fails if the server does not support it.',
  ),
  supportedProtocolVersions: z
    .array(ProtocolVersion)
    .min(1)
    .max(10)
    .optional()
    .describe('Accepted protocol revisions.'),
  firstPageOnly: z.boolean().optional().describe('Read only the first page.'),
  mirrorToolParamHeaders: z.boolean().optional().describe('Ignored: marked parameters are always mirrored.'),
  supportsMrtr: z
    .boolean()
    .optional()
    .describe('Ignored: a result that requests input is returned unchanged.'),
  xaaPolicy: z.unknown().optional().describe('Ignored. Kept for compatibility.'),
};

export const LiveBody = z.looseObject(liveOptions).meta({ id: 'LiveOptions' });

/** Errors of operations that connect to a server. */
export const liveErrors = [
  'FORBIDDEN',
  'OAUTH_REQUIRED',
  'FEATURE_NOT_SUPPORTED',
  'SERVER_UNREACHABLE',
  'TIMEOUT',
] as const satisfies ErrorCode[];

export const Tool = z
  .looseObject({
    name: z.string(),
    description: z.string().optional(),
    inputSchema: z.looseObject({}).optional(),
    outputSchema: z.looseObject({}).optional(),
  })
  .meta({ id: 'Tool', description: 'As sent by the server.' });

export const Prompt = z
  .looseObject({
    name: z.string(),
    description: z.string().optional(),
    arguments: z
      .array(
        z.looseObject({
          name: z.string(),
          description: z.string().optional(),
          required: z.boolean().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Prompt', description: 'As sent by the server.' });

export const Resource = z
  .looseObject({
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  })
  .meta({ id: 'Resource', description: 'As sent by the server.' });

export const ResourceTemplate = z
  .looseObject({ uriTemplate: z.string().optional() })
  .meta({ id: 'ResourceTemplate', description: 'As sent by the server.' });
