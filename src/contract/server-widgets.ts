import { z } from 'zod';
import { liveErrors, liveOptions } from './live.ts';
import { operation } from './operation.ts';

const Snapshot = z
  .object({
    mode: z.literal('a11y'),
    tree: z.string().describe('The accessibility tree of the widget.'),
    elements: z.array(
      z
        .object({
          role: z.object({ role: z.string(), name: z.string() }).optional(),
          testId: z.string().optional(),
          text: z.string().optional(),
          ambiguous: z.boolean().optional().describe('Several elements answer to it; add `nth`.'),
        })
        .meta({ id: 'WidgetSnapshotElement', description: 'As steps of eval cases name elements.' }),
    ),
    capturedAt: z.number().int(),
    truncated: z.boolean().optional(),
    note: z.string().optional(),
  })
  .meta({ id: 'WidgetSnapshot' });

const list = z.array(z.string());

export const renderServerWidget = operation({
  command: 'servers render-widget',
  area: 'Execution',
  summary: 'Call a tool and render its widget',
  description:
    'Calls the tool, reads the `ui://` resource that it names, and shows it in a browser of the service as a host of MCP Apps does. The widget reaches only what its csp declares. Nothing is kept. A widget that does not come about is a normal answer: `status` and `problem` say why. Needs a Chromium on the machine of the service.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/widgets/render',
  body: z
    .looseObject({
      ...liveOptions,
      toolName: z.string().min(1).max(1000),
      parameters: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('The arguments of the tool; `{}` if left out.'),
      includeSnapshot: z.boolean().default(true),
      includeScreenshot: z.boolean().default(false),
      injectOpenAiCompat: z
        .boolean()
        .optional()
        .describe('Whether the widget gets `window.openai`; left out, those that were written for it do.'),
      viewport: z
        .object({ width: z.number().int().min(100).max(1920), height: z.number().int().min(100).max(1200) })
        .optional()
        .describe('In pixels; 1024 by 768 if left out.'),
    })
    .meta({ id: 'RenderServerWidgetRequest' }),
  example: { toolName: 'inspect_hull', parameters: { ship: 'Albatross' } },
  status: 200,
  response: z
    .looseObject({
      status: z
        .enum([
          'rendered',
          'resource_read_failed',
          'mount_failed',
          'bridge_timeout',
          'render_error',
          'blank_screenshot',
          'screenshot_failed',
          'browser_unavailable',
        ])
        .describe('`rendered`, or what went wrong.'),
      problem: z.string().optional().describe('Why it is not rendered.'),
      resourceUri: z.string().optional(),
      bridgeInitialized: z.boolean().optional().describe('The widget has spoken to its host.'),
      consoleErrors: list.optional(),
      blockedRequests: list.optional().describe('What the widget may not reach, and why.'),
      toolCalls: z
        .array(z.object({ toolName: z.string(), arguments: z.looseObject({}), error: z.string().optional() }))
        .optional()
        .describe('Tools that the widget itself called.'),
      hostRequests: list
        .optional()
        .describe('What else the widget asked its host for: links, messages, logs.'),
      snapshot: Snapshot.optional(),
      screenshot: z.object({ mimeType: z.string(), base64: z.string() }).optional(),
      timings: z.object({ renderMs: z.number().int().optional(), totalMs: z.number().int() }).optional(),
    })
    .meta({ id: 'WidgetRenderResult' }),
  errors: liveErrors,
  access: 'project member',
  readOnly: true,
  callsTools: true,
  bulky: true,
});
