import { Refusal } from '../../contract/errors.ts';
import type { ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { withServer } from './reach.ts';
import type { LiveOptions } from './target.ts';

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

export const readResource: Verb<'readResource'> = (context, { body }) =>
  withServer(context, body, async ({ ask }) => (await ask('resources/read', { uri: body.uri })).result);

export const getPrompt: Verb<'getPrompt'> = (context, { body }) =>
  withServer(context, body, async ({ ask }) => {
    const values = Object.entries(body.arguments ?? {}).map(
      ([name, value]) => [name, String(value)] as const,
    );
    const { result } = await ask('prompts/get', {
      name: body.promptName,
      ...(body.arguments && { arguments: Object.fromEntries(values) }),
    });
    return result;
  });

export const callTool: Verb<'callTool'> = (context, { body }) => {
  if (body.taskOptions !== undefined || body.allowTaskResult)
    throw new Refusal(
      'FEATURE_NOT_SUPPORTED',
      'Tools are called directly, not as MCP tasks. Leave out taskOptions and allowTaskResult',
    );
  return withServer(context, body, async ({ ask }) => {
    const params = { name: body.toolName, arguments: body.parameters ?? {} };
    const { result, durationMs, frames } = await ask('tools/call', params);
    const timed = 'durationMs' in result ? (result as { durationMs: unknown }) : { ...result, durationMs };
    return body.includeFrames ? { ...timed, frames } : timed;
  });
};
