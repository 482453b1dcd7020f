import { z } from 'zod';
import { liveErrors, liveOptions, Prompt, Resource, Tool } from './live.ts';
import { operation } from './operation.ts';

const cursor = z.string().min(1).max(16384).optional().describe('Cursor of the server, from `nextCursor`.');

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
  description: 'Returns one page. Its items are exactly as sent by the server.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/tools',
  body: listBody.extend({
    modelId: z.string().max(500).optional().describe('Ignored. Kept for compatibility.'),
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
  description: 'Returns one page. Its items are exactly as sent by the server.',
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
  description: 'Returns one page. Its items are exactly as sent by the server.',
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
  description: 'Returns the MCP result exactly as sent by the server.',
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
    .meta({ id: 'ResourceContents', description: 'An MCP ReadResourceResult.' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});

const noTasks = {
  taskOptions: z.unknown().optional().describe('Not supported: returns FEATURE_NOT_SUPPORTED.'),
  allowTaskResult: z.boolean().optional().describe('`true` is not supported.'),
};

export const callTool = operation({
  command: 'servers call',
  area: 'Execution',
  summary: 'Call a tool',
  description:
    'Returns the MCP result exactly as sent by the server, with `durationMs` added unless the server sent that field. A result with `isError: true` is not an HTTP error. Closing the connection cancels the call.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/tools/call',
  body: z.looseObject({
    ...liveOptions,
    ...noTasks,
    toolName: z.string().min(1).max(1000),
    parameters: z.record(z.string(), z.unknown()).optional().describe('Arguments of the tool. Default `{}`.'),
    includeFrames: z
      .boolean()
      .optional()
      .describe('Adds `frames`, the JSON-RPC messages that the call sent and received.'),
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
        .describe('Milliseconds from request to response, unless the server sent this field.'),
      frames: z.unknown().optional().describe('Messages `sent` and `received`, if requested.'),
    })
    .meta({ id: 'CallToolResult', description: 'An MCP CallToolResult with its duration.' }),
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
  description: 'Returns the MCP result exactly as sent by the server.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/prompts/get',
  body: z.looseObject({
    ...liveOptions,
    promptName: z.string().min(1).max(1000),
    arguments: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('Numbers and booleans are sent as strings, because MCP only supports strings here.'),
  }),
  example: { promptName: 'inspection_report', arguments: { ship: 'Albatross' } },
  status: 200,
  response: z
    .looseObject({
      description: z.string().optional(),
      messages: z.array(z.looseObject({ role: z.string().optional(), content: z.unknown() })).optional(),
    })
    .meta({ id: 'GetPromptResult', description: 'An MCP GetPromptResult.' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  bulky: true,
});
