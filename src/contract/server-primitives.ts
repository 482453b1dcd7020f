import { z } from 'zod';
import { liveErrors, liveOptions, Prompt, Resource, Tool } from './live.ts';
import { operation } from './operation.ts';

const cursor = z
  .string()
  .min(1)
  .max(16384)
  .optional()
  .describe("The server's own cursor, from `nextCursor`.");

const listBody = z.looseObject({ ...liveOptions, cursor }).meta({ id: 'ListRequest' });

function livePage<Item extends z.ZodType>(
  item: Item,
  id: string,
): z.ZodObject<{
  items: z.ZodArray<Item>;
  nextCursor: z.ZodOptional<z.ZodString>;
}> {
  return z.object({ items: z.array(item), nextCursor: z.string().optional() }).meta({ id });
}

export const listTools = operation({
  area: 'Primitives',
  summary: "List a server's tools",
  description: 'One page, exactly as the server sends it.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/tools',
  body: listBody.extend({
    modelId: z.string().max(500).optional().describe('Ignored; kept for existing clients.'),
  }),
  example: {},
  status: 200,
  response: livePage(Tool, 'ToolPage'),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});

export const listPrompts = operation({
  area: 'Primitives',
  summary: "List a server's prompts",
  description: 'One page, exactly as the server sends it.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/prompts',
  body: listBody,
  example: {},
  status: 200,
  response: livePage(Prompt, 'PromptPage'),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});

export const listResources = operation({
  area: 'Primitives',
  summary: "List a server's resources",
  description: 'One page, exactly as the server sends it.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/resources',
  body: listBody,
  example: {},
  status: 200,
  response: livePage(Resource, 'ResourcePage'),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});

export const readResource = operation({
  command: 'servers read-resource',
  area: 'Primitives',
  summary: 'Read a resource',
  description: 'Answers with the MCP result exactly as the server sends it.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/resources/read',
  body: z.looseObject({ ...liveOptions, uri: z.string().min(1).max(16384) }),
  example: { uri: 'harbour://rules' },
  status: 200,
  response: z
    .looseObject({
      contents: z
        .array(
          z.looseObject({
            uri: z.string().optional(),
            mimeType: z.string().optional(),
            text: z.string().optional(),
            blob: z.string().optional(),
          }),
        )
        .optional(),
    })
    .meta({ id: 'ResourceContents', description: 'A ReadResourceResult of MCP.' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});

const noTasks = {
  taskOptions: z.unknown().optional().describe('Not supported: refused with FEATURE_NOT_SUPPORTED.'),
  allowTaskResult: z.boolean().optional().describe('Not supported when true.'),
};

export const callTool = operation({
  command: 'servers call',
  area: 'Execution',
  summary: 'Call a tool',
  description:
    'Answers with the MCP result exactly as the server sends it, and adds `durationMs` unless the server sent one. A result with `isError: true` is a normal answer. Hanging up cancels the call.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/tools/call',
  body: z.looseObject({
    ...liveOptions,
    ...noTasks,
    toolName: z.string().min(1).max(1000),
    parameters: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The arguments of the tool; `{}` if left out.'),
    includeFrames: z
      .boolean()
      .optional()
      .describe('Adds `frames`: the JSON-RPC messages of the call as they were sent and received.'),
  }),
  example: { toolName: 'add_numbers', parameters: { numbers: [1, 2, 39] } },
  status: 200,
  response: z
    .looseObject({
      content: z.array(z.looseObject({})).optional(),
      structuredContent: z.unknown().optional(),
      isError: z.boolean().optional(),
      durationMs: z
        .unknown()
        .describe('Milliseconds between request and answer, unless the server sent this field.'),
      frames: z.unknown().optional().describe('Where asked for: `sent` and `received`.'),
    })
    .meta({ id: 'CallToolResult', description: 'A CallToolResult of MCP, and how long it took.' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  callsTools: true,
  bulky: true,
});

export const getPrompt = operation({
  command: 'servers get-prompt',
  area: 'Execution',
  summary: 'Render a prompt',
  description: 'Answers with the MCP result exactly as the server sends it.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/prompts/get',
  body: z.looseObject({
    ...liveOptions,
    promptName: z.string().min(1).max(1000),
    arguments: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('Numbers and booleans are sent as text, which is all MCP knows here.'),
  }),
  example: { promptName: 'inspection_report', arguments: { ship: 'Albatross' } },
  status: 200,
  response: z
    .looseObject({
      description: z.string().optional(),
      messages: z.array(z.looseObject({ role: z.string().optional(), content: z.unknown() })).optional(),
    })
    .meta({ id: 'GetPromptResult', description: 'A GetPromptResult of MCP.' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});
