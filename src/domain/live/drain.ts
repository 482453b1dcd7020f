import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';

const mostPages = 1000;
const mostItems = 50_000;

/** What a server can list: the capability that says so, the method, and where the items are. */
export const lists = {
  tools: { capability: 'tools', method: 'tools/list', noun: 'tool', names: 'name' },
  resources: { capability: 'resources', method: 'resources/list', noun: 'resource', names: 'uri' },
  resourceTemplates: {
    capability: 'resources',
    method: 'resources/templates/list',
    noun: 'resource template',
    names: 'uriTemplate',
  },
  prompts: { capability: 'prompts', method: 'prompts/list', noun: 'prompt', names: 'name' },
} as const;

export type ListName = keyof typeof lists;

export interface Drained {
  items: Record<string, unknown>[];
  /** What the SDK finds wrong with a page. */
  complaint?: string;
}

/** All pages of a list; undefined when the server does not offer it. */
export async function drain(
  conversation: Conversation,
  name: ListName,
  firstPageOnly = false,
): Promise<Drained | undefined> {
  if (conversation.identity.capabilities[lists[name].capability] === undefined) return undefined;
  try {
    return await pages(conversation, name, firstPageOnly);
  } catch (error) {
    const unknownMethod = error instanceof McpFailure && error.facts.rpc?.code === -32601;
    // A server may have resources, no templates, and not know the method.
    if (name === 'resourceTemplates' && unknownMethod) return undefined;
    throw error;
  }
}

/** A server that never comes to an end, or goes in circles, is an error. */
async function pages({ ask }: Conversation, name: ListName, firstPageOnly: boolean): Promise<Drained> {
  const { method } = lists[name];
  let items: Record<string, unknown>[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let complaint: string | undefined;
  do {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    complaint ??= await answer.complaint();
    const page = answer.result[name];
    if (Array.isArray(page)) items = items.concat(page as Record<string, unknown>[]);
    if (items.length > mostItems)
      throw new McpFailure('too-large', `${method} lists more than ${mostItems.toLocaleString('en')} items`);
    const next = answer.result['nextCursor'];
    cursor = typeof next === 'string' && !firstPageOnly ? next : undefined;
    if (cursor !== undefined && seen.has(cursor))
      throw endless(`${method} repeats a cursor, so its pages have no end`);
    if (seen.size >= mostPages) throw endless(`${method} has more than ${mostPages} pages`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { items, ...(complaint !== undefined && { complaint }) };
}

function endless(message: string): McpFailure {
  return new McpFailure('not-mcp', message, { code: 'PAGES' });
}
