import type { Conversation } from '../../mcp/mcp.ts';
import type { Target } from '../../mcp/target.ts';
import { sortKeys } from '../../platform/canonical.ts';
import type { Verb } from '../context/verb.ts';
import { drain, type ListName } from './drain.ts';
import { contentOf } from './export-content.ts';
import { initInfoOf } from './init-info.ts';
import { withServer } from './reach.ts';

/** Uses a new connection: a cached one has the server information of when it was opened. */
export const exportServer: Verb<'exportServer'> = (context, { serverId, body }) => {
  const work = async (conversation: Conversation, target: Target) => {
    const { identity } = conversation;
    const all = async (name: ListName): Promise<unknown[]> =>
      (await drain(conversation, name, body.firstPageOnly))?.items ?? [];
    const [tools, resources, resourceTemplates, prompts] = await Promise.all([
      all('tools'),
      all('resources'),
      all('resourceTemplates'),
      all('prompts'),
    ]);
    const { content, contentHash } = await contentOf({
      server: identity.serverInfo,
      protocolVersion: identity.protocolVersion,
      instructions: identity.instructions,
      capabilities: identity.capabilities,
      tools,
      resources,
      resourceTemplates,
      prompts,
    });
    return {
      serverId,
      exportedAt: new Date(context.clock()).toISOString(),
      contentHash,
      // Excluded from the hash, since it also depends on the client.
      initInfo: sortKeys(initInfoOf(identity, target)) as ReturnType<typeof initInfoOf>,
      // The contract describes what the server sent; it is passed on unchanged.
      ...(content as typeof content & {
        protocolVersion: string;
        instructions: string | null;
        tools: never[];
        resources: never[];
        resourceTemplates: never[];
        prompts: never[];
      }),
    };
  };
  return withServer(context, body, work, 'once');
};
