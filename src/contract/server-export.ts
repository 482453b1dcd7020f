import { z } from 'zod';
import { LiveBody, liveErrors, Prompt, Resource, ResourceTemplate, Tool } from './live.ts';
import { operation } from './operation.ts';
import { InitInfo } from './server-diagnostics.ts';

export const exportServer = operation({
  area: 'Export',
  summary: 'Export everything a server lists',
  description:
    'All pages of tools, resources, resource templates and prompts in one document, each list ordered by name and every object by key. Two exports of an unchanged server differ in `exportedAt` only, so they can be compared in CI; `contentHash` says at once whether anything changed.',
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
        .describe('What the server calls itself.'),
      protocolVersion: z.string(),
      instructions: z.string().nullable(),
      capabilities: z.looseObject({}),
      contentHash: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/)
        .describe('Of everything in the document but `serverId`, `exportedAt`, `initInfo` and itself.'),
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
