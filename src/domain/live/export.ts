import { createHash } from 'node:crypto';
import type { Conversation } from '../../mcp/mcp.ts';
import type { Verb } from '../verbs.ts';
import { drain } from './drain.ts';
import { withServer } from './reach.ts';

type Json = Record<string, unknown>;

export const exportServer: Verb<'exportServer'> = (context, { serverId, body }) =>
  withServer(context, serverId, body, async (conversation) => {
    const { identity } = conversation;
    const all = async (capability: string, method: string, key: string, by: string): Promise<Json[]> => {
      if (identity.capabilities[capability] === undefined) return [];
      return ordered(await listed(conversation, method, key, body.firstPageOnly ?? false), by);
    };
    const [tools, resources, resourceTemplates, prompts] = await Promise.all([
      all('tools', 'tools/list', 'tools', 'name'),
      all('resources', 'resources/list', 'resources', 'uri'),
      all('resources', 'resources/templates/list', 'resourceTemplates', 'uriTemplate'),
      all('prompts', 'prompts/list', 'prompts', 'name'),
    ]);
    const content = sorted({
      server: identity.serverInfo,
      protocolVersion: identity.protocolVersion,
      instructions: identity.instructions,
      capabilities: identity.capabilities,
      tools,
      resources,
      resourceTemplates,
      prompts,
    }) as Json;
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    return {
      serverId,
      exportedAt: new Date(context.clock()).toISOString(),
      contentHash: `sha256:${hash}`,
      // The contract describes what the server sent; it is passed on unchanged.
      ...(content as never as {
        tools: never[];
        resources: never[];
        resourceTemplates: never[];
        prompts: never[];
      }),
      ...(content as {
        server: Json | null;
        protocolVersion: string;
        instructions: string | null;
        capabilities: Json;
      }),
    };
  });

/** Servers may have resources without templates and not know the method. */
async function listed(
  conversation: Conversation,
  method: string,
  key: string,
  firstPageOnly: boolean,
): Promise<Json[]> {
  try {
    return (await drain(conversation, method, key, firstPageOnly)).items;
  } catch (error) {
    const { rpc } = (error as { facts?: { rpc?: { code: number } } }).facts ?? {};
    if (method === 'resources/templates/list' && rpc?.code === -32601) return [];
    throw error;
  }
}

/** By what names them, then by content: servers may list in any order, and name two things alike. */
function ordered(items: Json[], by: string): Json[] {
  const keyed = items.map((item) => ({
    item,
    name: nameIn(item, by),
    text: JSON.stringify(sorted(item)),
  }));
  keyed.sort((a, b) => compare(a.name, b.name) || compare(a.text, b.text));
  return keyed.map(({ item }) => item);
}

function nameIn(item: Json, by: string): string {
  const name = item[by];
  return typeof name === 'string' ? name : '';
}

/** Not by locale: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compare(a, b))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
