import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

const ProtocolVersion = z.enum(protocolVersions);

/** What every operation on a live server understands besides its own fields. Unknown fields are ignored. */
export const liveOptions = {
  serverName: z.string().max(1000).optional().describe('Ignored; kept for existing clients.'),
  oauthAccessToken: z
    .string()
    .min(1)
    .max(16384)
    .regex(/^[\x21-\x7e]+$/, 'Not a token')
    .optional()
    .describe('Sent to the server instead of the stored token, for this call only.'),
  clientInfo: z
    .looseObject({ name: z.string().min(1).max(200), version: z.string().min(1).max(100) })
    .optional()
    .describe('How to introduce ourselves to the server.'),
  clientCapabilities: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('MCP client capabilities to declare, instead of those saved with the server.'),
  mcpProtocolVersion: ProtocolVersion.optional().describe('Speak this revision or fail.'),
  supportedProtocolVersions: z
    .array(ProtocolVersion)
    .min(1)
    .max(10)
    .optional()
    .describe('Revisions that may be spoken.'),
  firstPageOnly: z.boolean().optional().describe('Where all pages would be read, read one.'),
  mirrorToolParamHeaders: z.boolean().optional().describe('Ignored; marked parameters are always mirrored.'),
  supportsMrtr: z
    .boolean()
    .optional()
    .describe('Ignored; a result that asks for input is returned as it is.'),
  xaaPolicy: z.unknown().optional().describe('Ignored; kept for existing clients.'),
};

export const LiveBody = z.looseObject(liveOptions).meta({ id: 'LiveOptions' });

/** Refusals that come from the server, or from reaching it. */
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
  .meta({ id: 'Tool', description: 'As the server sent it.' });

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
  .meta({ id: 'Prompt', description: 'As the server sent it.' });

export const Resource = z
  .looseObject({
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  })
  .meta({ id: 'Resource', description: 'As the server sent it.' });

export const ResourceTemplate = z
  .looseObject({ uriTemplate: z.string().optional() })
  .meta({ id: 'ResourceTemplate', description: 'As the server sent it.' });
