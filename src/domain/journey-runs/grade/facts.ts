import type { DeclaredTool } from '../../../evaluation/index.ts';
import type { PlaceSnapshot } from '../../eval-runs/launch/take-snapshot.ts';
import type { TurnRecording } from '../execute/evidence.ts';
import type { StoredFacts } from './stored.ts';

/** Names are those of servers and models, and there may be any number of them. */
const mostTools = 100;
const mostUnknown = 20;
const longestName = 200;

/** How often each tool was called in a session, and how often that went wrong. */
export function factsIn(
  recordings: readonly TurnRecording[],
  { servers }: PlaceSnapshot,
  declared: readonly DeclaredTool[] | undefined,
): StoredFacts {
  const names = new Map(servers.map(({ id, name }) => [id, name]));
  const known = declared && new Set(declared.map(({ name }) => name));
  const tools = new Map<string, StoredFacts['tools'][number]>();
  const unknown = new Set<string>();
  for (const { toolCalls, toolErrors } of recordings) {
    const wrong = new Set(toolErrors.map(({ toolCallId }) => toolCallId));
    for (const { toolCallId, toolName, serverId, invalid } of toolCalls) {
      const name = toolName.slice(0, longestName);
      if (serverId === undefined && invalid !== undefined && !known?.has(toolName)) unknown.add(name);
      // Tools of ours are no server's, and a call that cannot be read never reached one.
      if (serverId === undefined || invalid !== undefined) continue;
      const key = JSON.stringify([serverId, name]);
      const serverName = names.get(serverId) ?? serverId;
      const use = tools.get(key) ?? { serverId, serverName, toolName: name, calls: 0, errors: 0 };
      use.calls++;
      if (wrong.has(toolCallId)) use.errors++;
      tools.set(key, use);
    }
  }
  return {
    tools: [...tools.values()].slice(0, mostTools),
    unknownTools: [...unknown].slice(0, mostUnknown),
    outputTruncated: recordings.some(({ toolResults }) => toolResults.state === 'partial'),
  };
}
