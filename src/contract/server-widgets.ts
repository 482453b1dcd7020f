import { z } from 'zod';
import { liveErrors, liveOptions } from './live.ts';
import { operation } from './operation.ts';

/** How rendering a widget ended. */
const widgetStatuses = [
  'rendered',
  'resource_read_failed',
  'mount_failed',
  'bridge_timeout',
  'render_error',
  'blank_screenshot',
  'screenshot_failed',
  'browser_unavailable',
] as const;

export type WidgetStatus = (typeof widgetStatuses)[number];

const Snapshot = z
  .object({
    mode: z.literal('a11y'),
    tree: z.string().describe('Accessibility tree of the widget.'),
    elements: z.array(
      z
        .object({
          role: z.object({ role: z.string(), name: z.string() }).optional(),
          testId: z.string().optional(),
          text: z.string().optional(),
          ambiguous: z.boolean().optional().describe('Several elements match. Add `nth`.'),
        })
        .meta({
          id: 'WidgetSnapshotElement',
          description: 'An element in the form that steps of eval cases use.',
        }),
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
    'Calls the tool, reads its `ui://` resource, and renders it in a browser of the service, as an MCP Apps host does. The widget can only reach the origins in its CSP. Stores nothing. A widget that cannot be rendered is not an error: see `status` and `problem`. Requires Chromium on the machine of the service.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/widgets/render',
  body: z
    .looseObject({
      ...liveOptions,
      toolName: z.string().min(1).max(1000),
      parameters: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Arguments of the tool. Default `{}`.'),
      includeSnapshot: z.boolean().default(true),
      includeScreenshot: z.boolean().default(false),
      injectOpenAiCompat: z
        .boolean()
        .optional()
        .describe('Whether to provide `window.openai`. Default: only for widgets written for it.'),
      viewport: z
        .object({ width: z.number().int().min(100).max(1920), height: z.number().int().min(100).max(1200) })
        .optional()
        .describe('In pixels. Default 1024 by 768.'),
    })
    .meta({ id: 'RenderServerWidgetRequest' }),
  example: { toolName: 'inspect_hull', parameters: { ship: 'Albatross' } },
  status: 200,
  response: z
    .looseObject({
      status: z.enum(widgetStatuses).describe('`rendered`, or the kind of failure.'),
      problem: z.string().optional().describe('Why the widget was not rendered.'),
      resourceUri: z.string().optional(),
      bridgeInitialized: z.boolean().optional().describe('Whether the widget has connected to its host.'),
      consoleErrors: list.optional(),
      blockedRequests: list.optional().describe('Blocked requests of the widget, with reasons.'),
      toolCalls: z
        .array(z.object({ toolName: z.string(), arguments: z.looseObject({}), error: z.string().optional() }))
        .optional()
        .describe('Tools called by the widget.'),
      hostRequests: list
        .optional()
        .describe('Other requests of the widget to its host: links, messages, logs.'),
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
