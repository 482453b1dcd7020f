import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';
import { needsListing, type WidgetSource, widgetSource } from '../../widgets/declared.ts';
import { drain } from '../live/drain.ts';

/** The widget at a URI, or why it cannot be loaded. Only a connection failure is thrown. */
export async function loadWidget(
  conversation: Conversation,
  uri: string,
): Promise<WidgetSource | { problem: string }> {
  try {
    const { result } = await conversation.ask('resources/read', { uri });
    if (!needsListing(uri, result)) return widgetSource(uri, result);
    const { items = [] } = (await drain(conversation, 'resources').catch(unlessRpc)) ?? {};
    return widgetSource(
      uri,
      result,
      items.find((item) => item['uri'] === uri),
    );
  } catch (error) {
    if (error instanceof McpFailure && error.kind === 'too-large') return { problem: error.message };
    return unlessRpc(error) ?? { problem: `Cannot read ${uri}: ${(error as Error).message}` };
  }
}

/** Swallows error responses of the server. */
function unlessRpc(error: unknown): undefined {
  if (error instanceof McpFailure && error.kind === 'rpc') return undefined;
  throw error;
}
