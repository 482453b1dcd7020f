import { createHash } from 'node:crypto';
import { byCodeUnit, sortKeys } from '../../platform/canonical.ts';
import type { Verb } from '../verb.ts';
import { drain, type ListName, lists } from './drain.ts';
import { initInfoOf } from './init-info.ts';
import { withServer } from './reach.ts';

type Json = Record<string, unknown>;

export const exportServer: Verb<'exportServer'> = (context, { serverId, body }) =>
  withServer(context, body, async (conversation, target) => {
    const { identity } = conversation;
    const all = async (name: ListName): Promise<Json[]> => {
      const { items = [] } = (await drain(conversation, name, body.firstPageOnly)) ?? {};
      return ordered(items, lists[name].names);
    };
    const [tools, resources, resourceTemplates, prompts] = await Promise.all([
      all('tools'),
      all('resources'),
      all('resourceTemplates'),
      all('prompts'),
    ]);
    const content = sortKeys({
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
      // Not hashed: it says also how the server was asked.
      initInfo: sortKeys(initInfoOf(identity, target)) as ReturnType<typeof initInfoOf>,
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

/** By what names them, then by content: servers may list in any order, and name two things alike. */
function ordered(items: Json[], by: string): Json[] {
  const keyed = items.map((item) => ({
    item,
    name: nameIn(item, by),
    text: JSON.stringify(sortKeys(item)),
  }));
  keyed.sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.text, b.text));
  return keyed.map(({ item }) => item);
}

function nameIn(item: Json, by: string): string {
  const name = item[by];
  return typeof name === 'string' ? name : '';
}
