import type { Tool } from '@modelcontextprotocol/server';
import { discoveryTools } from './discovery.ts';
import { operationTools } from './operation-tools.ts';
import { keyOf, type Selection } from './selection.ts';
import { taskTools } from './tasks/index.ts';
import type { AgentTool } from './tool.ts';

/** The tools of one selection, in an order that never changes. */
export interface Catalog {
  list: Tool[];
  byName: ReadonlyMap<string, AgentTool>;
}

const made = new Map<string, Catalog>();

/** Cached: a server is created per request, and building the descriptions of 200 tools would dominate it. */
export function catalogOf(selection: Selection): Catalog {
  const key = keyOf(selection);
  const known = made.get(key);
  if (known) return known;
  const tools = toolsOf(selection);
  const catalog = {
    list: tools.map(({ definition }) => definition),
    byName: new Map(tools.map((tool) => [tool.definition.name, tool])),
  };
  // Bounds the cache: clients can request any combination of toolsets.
  if (made.size < maxCached) made.set(key, catalog);
  return catalog;
}

const maxCached = 200;

function toolsOf(selection: Selection): AgentTool[] {
  if (selection.toolsets) return operationTools(selection);
  const { readOnly } = selection;
  const tasks = taskTools.filter(({ definition }) => !readOnly || definition.annotations?.readOnlyHint);
  return [...tasks, ...discoveryTools(readOnly)];
}
