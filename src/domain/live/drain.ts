import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';

const mostPages = 1000;

export interface Drained {
  items: Record<string, unknown>[];
  /** What the SDK finds wrong with a page. */
  complaint?: string;
}

/** All pages of a list. A server that never comes to an end, or goes in circles, is an error. */
export async function drain(
  { ask }: Conversation,
  method: string,
  key: string,
  firstPageOnly = false,
): Promise<Drained> {
  const items: Record<string, unknown>[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let complaint: string | undefined;
  do {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    complaint ??= answer.complaint;
    const page = answer.result[key];
    if (Array.isArray(page)) items.push(...(page as Record<string, unknown>[]));
    const next = answer.result['nextCursor'];
    cursor = typeof next === 'string' && !firstPageOnly ? next : undefined;
    if (cursor !== undefined && seen.has(cursor))
      throw new McpFailure('not-mcp', `${method} repeats a cursor, so its pages have no end`);
    if (seen.size >= mostPages) throw new McpFailure('not-mcp', `${method} has more than ${mostPages} pages`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { items, ...(complaint !== undefined && { complaint }) };
}
