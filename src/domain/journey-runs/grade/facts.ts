import type { DeclaredTool } from '../../../evaluation/index.ts';
import { type PlaceSnapshot } from '../../execution/place.ts';
import type { TurnRecording } from '../execute/evidence.ts';
import type { StoredFacts } from './stored.ts';

/** Limits, since the names come from servers and models. */
const maxTools = 100;
const maxUnknown = 20;
const maxNameLength = 200;

/** Calls and errors per tool in a session. */
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
      const name = toolName.slice(0, maxNameLength);
      if (serverId === undefined && invalid !== undefined && !known?.has(toolName)) unknown.add(name);
      // Built-in tools belong to no server, and an invalid call never reached one.
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
    tools: [...tools.values()].slice(0, maxTools),
    unknownTools: [...unknown].slice(0, maxUnknown),
    outputTruncated: recordings.some(({ toolResults }) => toolResults.state === 'partial'),
  };
}
