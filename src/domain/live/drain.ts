import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';

const maxPages = 1000;
const maxItems = 50_000;

/** Lists of a server: capability, method, and the key field of their items. */
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
  /** The first page unchanged, including fields besides the items. */
  first: Record<string, unknown>;
  /** Validation error of the SDK for a page. */
  complaint?: string;
}

/** Reads all pages of a list; undefined if the server does not support it. */
export async function drain(
  conversation: Conversation,
  name: ListName,
  firstPageOnly = false,
): Promise<Drained | undefined> {
  if (conversation.identity.capabilities[lists[name].capability] === undefined) return undefined;
  try {
    return await drainPages(conversation, lists[name].method, name, firstPageOnly);
  } catch (error) {
    const unknownMethod = error instanceof McpFailure && error.facts.rpc?.code === -32601;
    // A server may support resources without implementing the templates method.
    if (name === 'resourceTemplates' && unknownMethod) return undefined;
    throw error;
  }
}

/** Reads all items under `name`. Too many items, too many pages or a repeated cursor is an error. */
export async function drainPages(
  { ask }: Conversation,
  method: string,
  name: string,
  firstPageOnly: boolean,
): Promise<Drained> {
  let items: Record<string, unknown>[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let complaint: string | undefined;
  let first: Record<string, unknown> | undefined;
  do {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    first ??= answer.result;
    complaint ??= await answer.complaint();
    const page = answer.result[name];
    if (Array.isArray(page)) items = items.concat(page as Record<string, unknown>[]);
    if (items.length > maxItems)
      throw new McpFailure('too-large', `${method} lists more than ${maxItems.toLocaleString('en')} items`);
    const next = answer.result['nextCursor'];
    cursor = typeof next === 'string' && !firstPageOnly ? next : undefined;
    if (cursor !== undefined && seen.has(cursor))
      throw endless(`${method} repeats a cursor, so its pages have no end`);
    if (seen.size >= maxPages) throw endless(`${method} has more than ${maxPages} pages`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { items, first, ...(complaint !== undefined && { complaint }) };
}

function endless(message: string): McpFailure {
  return new McpFailure('not-mcp', message, { code: 'PAGES' });
}
