import type { ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { withServer } from './reach.ts';
import { type LiveOptions } from './target.ts';

interface Page {
  // Items as the server sent them; the contract describes their shape.
  items: never[];
  nextCursor?: string;
}

/** The items and the cursor of one page, as the server sends them. */
async function list(
  context: ServerContext,
  body: LiveOptions & { cursor?: string | undefined },
  kind: 'tools' | 'prompts' | 'resources',
): Promise<Page> {
  const { cursor } = body;
  return withServer(context, body, async ({ ask }) => {
    const { result } = await ask(`${kind}/list`, cursor === undefined ? {} : { cursor });
    const { [kind]: items, nextCursor } = result as { [key: string]: unknown; nextCursor?: string };
    return { items: (items ?? []) as never[], ...(typeof nextCursor === 'string' && { nextCursor }) };
  });
}

export const listTools: Verb<'listTools'> = (context, { body }) => list(context, body, 'tools');

export const listPrompts: Verb<'listPrompts'> = (context, { body }) => list(context, body, 'prompts');

export const listResources: Verb<'listResources'> = (context, { body }) => list(context, body, 'resources');
