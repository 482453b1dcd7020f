import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';
import { version } from '../../platform/version.ts';
import type { Answered } from '../../widgets/bridge.ts';
import { refusalOfCall, type WidgetSource, widgetUriOf } from '../../widgets/declared.ts';
import { type RenderedWidget, renderWidget, type WidgetObservation } from '../../widgets/render.ts';
import type { ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { drain } from '../live/drain.ts';
import { withServer } from '../live/reach.ts';
import { browserRefusal, checkBrowser } from '../parts/browser-refusals.ts';
import { loadWidget } from './load.ts';
import { declaringWidgets } from './support.ts';

type Answer = OutputOf<Operations['renderServerWidget']>;

/** Maximum number of bytes of a screenshot, which is embedded in JSON. */
const maxScreenshot = 8 * 1024 * 1024;

export const renderServerWidget: Verb<'renderServerWidget'> = async (context, { body }) => {
  checkBrowser(context);
  const clientCapabilities =
    body.clientCapabilities ?? declaringWidgets(context.server.settings.clientCapabilities);
  const options = { ...body, clientCapabilities };
  const called = await withServer(context, options, async (conversation) => {
    const { items: tools = [] } = (await drain(conversation, 'tools')) ?? {};
    const { tool, uri } = toolWithWidget(tools, body.toolName);
    const input = body.parameters ?? {};
    const { result } = await conversation.ask('tools/call', { name: body.toolName, arguments: input });
    return { tools, tool, uri, input, result, source: await loadWidget(conversation, uri) };
  });
  const { tools, tool, uri, input, result, source } = called;
  if ('problem' in source)
    return { status: 'resource_read_failed' as const, resourceUri: uri, problem: source.problem };
  const ask = (method: string, params: Record<string, unknown>): Promise<Answered> =>
    withServer(context, options, (conversation) => answered(conversation, method, params));
  const { observation, widget } = await rendered(context, source, {
    tool,
    input,
    result,
    openAiCompat: body.injectOpenAiCompat,
    viewport: body.viewport,
    callTool: async (name, args) => {
      const refusal = refusalOfCall(tools, name);
      return refusal === undefined ? ask('tools/call', { name, arguments: args }) : { refusal };
    },
    readResource: (read) => ask('resources/read', { uri: read }),
  });
  void widget?.close().catch(() => {});
  return shown(observation, body);
};

function toolWithWidget(tools: readonly unknown[], name: string): { tool: unknown; uri: string } {
  const tool = tools.find((one) => nameOf(one) === name);
  const uri = widgetUriOf(tool);
  if (uri !== undefined) return { tool, uri };
  const others = tools.filter((one) => widgetUriOf(one) !== undefined).map(nameOf);
  const named = others.slice(0, 20).join(', ');
  const more = others.length > 20 ? ` and ${others.length - 20} more` : '';
  const problem = tool
    ? 'The tool has no widget (no ui:// resource)'
    : `No tool named ${JSON.stringify(name)} on this server`;
  throw new Refusal(
    'FEATURE_NOT_SUPPORTED',
    `${problem}. ${named ? `Tools with widgets: ${named}${more}` : 'No tool on this server has a widget'}`,
    { details: { reason: 'NO_UI_RESOURCE', tools: others.slice(0, 100) } },
  );
}

function nameOf(tool: unknown): string {
  const { name } = tool as { name?: unknown };
  return typeof name === 'string' ? name : '';
}

/** Passes the server's response to the widget; a connection failure becomes an error response. */
async function answered(
  { ask }: Conversation,
  method: string,
  params: Record<string, unknown>,
): Promise<Answered> {
  try {
    return { result: (await ask(method, params)).result };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return { refusal: error.facts.rpc?.message ?? error.message };
  }
}

async function rendered(
  context: ServerContext,
  source: WidgetSource,
  request: Omit<Parameters<typeof renderWidget>[1], 'source' | 'version' | 'signal'>,
): Promise<RenderedWidget> {
  const { browsers, callerGone } = context;
  try {
    return await renderWidget(browsers, { ...request, source, version, signal: callerGone() });
  } catch (error) {
    throw browserRefusal(error);
  }
}

function shown(
  observation: WidgetObservation,
  { includeSnapshot, includeScreenshot }: { includeSnapshot: boolean; includeScreenshot: boolean },
): Answer {
  const { status, problem, resourceUri, bridgeInitialized, consoleErrors, blockedRequests } = observation;
  const { snapshot, screenshot, calls, requests, renderMs, totalMs } = observation;
  return {
    status,
    ...(problem !== undefined && { problem }),
    resourceUri,
    bridgeInitialized,
    consoleErrors,
    blockedRequests: blockedRequests.map(({ url, reason }) => `${url} (${reason})`),
    ...(calls.length > 0 && {
      toolCalls: calls.map(({ toolName, arguments: args, error }) => ({
        toolName,
        arguments: args,
        ...(error !== undefined && { error }),
      })),
    }),
    ...(requests.length > 0 && { hostRequests: [...requests] }),
    ...(includeSnapshot && snapshot && { snapshot }),
    ...(includeScreenshot &&
      screenshot &&
      screenshot.length <= maxScreenshot && {
        screenshot: { mimeType: 'image/png', base64: screenshot.toString('base64') },
      }),
    timings: { ...(renderMs !== undefined && { renderMs }), totalMs },
  };
}
