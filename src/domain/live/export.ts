import { createHash } from 'node:crypto';
import { byCodeUnit, sortKeys } from '../../platform/canonical.ts';
import { jsonSlices } from '../../platform/json-slices.ts';
import { mapInTurns } from '../../platform/turns.ts';
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
    // In the order of the keys; what is inside of the lists is in order already.
    const content = {
      capabilities: sortKeys(identity.capabilities) as Json,
      instructions: identity.instructions,
      prompts,
      protocolVersion: identity.protocolVersion,
      resourceTemplates,
      resources,
      server: sortKeys(identity.serverInfo) as Json | null,
      tools,
    };
    const hash = await hashOf(content);
    return {
      serverId,
      exportedAt: new Date(context.clock()).toISOString(),
      contentHash: `sha256:${hash}`,
      // Not hashed: it says also how the server was asked.
      initInfo: sortKeys(initInfoOf(identity, target)) as ReturnType<typeof initInfoOf>,
      // The contract describes what the server sent; it is passed on unchanged.
      ...(content as typeof content & {
        tools: never[];
        resources: never[];
        resourceTemplates: never[];
        prompts: never[];
      }),
    };
  });

async function hashOf(content: unknown): Promise<string> {
  const hash = createHash('sha256');
  for await (const slice of jsonSlices(content)) hash.update(slice);
  return hash.digest('hex');
}

/** By what names them, then by content: servers may list in any order, and name two things alike. */
async function ordered(items: readonly unknown[], by: string): Promise<Json[]> {
  const keyed = await mapInTurns(items, (listed) => {
    const item = sortKeys(listed) as Json;
    return { item, name: nameIn(item, by), text: JSON.stringify(item) };
  });
  keyed.sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.text, b.text));
  return keyed.map(({ item }) => item);
}

/** A broken server may list anything. */
function nameIn(item: Json | null, by: string): string {
  const name = item?.[by];
  return typeof name === 'string' ? name : '';
}
