import { z } from 'zod';
import { LiveBody, liveErrors, Prompt, Resource, ResourceTemplate, Tool } from './live.ts';
import { operation } from './operation.ts';
import { InitInfo } from './server-diagnostics.ts';

export const exportServer = operation({
  area: 'Export',
  summary: 'Export everything a server lists',
  description:
    'Returns all tools, resources, resource templates and prompts in one document, with lists sorted by name and objects by key. Exports of an unchanged server differ only in `exportedAt`, so CI can compare them. Compare `contentHash` to detect any change.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/export',
  body: LiveBody,
  example: {},
  status: 200,
  response: z
    .object({
      serverId: z.string(),
      exportedAt: z.iso.datetime(),
      server: z
        .looseObject({ name: z.string().optional(), version: z.string().optional() })
        .nullable()
        .describe('Server information from the handshake.'),
      protocolVersion: z.string(),
      instructions: z.string().nullable(),
      capabilities: z.looseObject({}),
      contentHash: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/)
        .describe('Hash of the document without `serverId`, `exportedAt`, `initInfo` and the hash itself.'),
      initInfo: InitInfo,
      tools: z.array(Tool),
      resources: z.array(Resource),
      resourceTemplates: z.array(ResourceTemplate),
      prompts: z.array(Prompt),
    })
    .meta({ id: 'ExportSnapshot' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});
