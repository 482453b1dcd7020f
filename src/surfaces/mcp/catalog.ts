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

/** Made once: a server is made for every request, and describing 200 tools takes longer than most of them. */
export function catalogOf(selection: Selection): Catalog {
  const key = keyOf(selection);
  const known = made.get(key);
  if (known) return known;
  const tools = toolsOf(selection);
  const catalog = {
    list: tools.map(({ definition }) => definition),
    byName: new Map(tools.map((tool) => [tool.definition.name, tool])),
  };
  // There are more combinations of toolsets than anybody uses.
  if (made.size < mostKept) made.set(key, catalog);
  return catalog;
}

const mostKept = 200;

function toolsOf(selection: Selection): AgentTool[] {
  if (selection.toolsets) return operationTools(selection);
  const { readOnly } = selection;
  const tasks = taskTools.filter(({ definition }) => !readOnly || definition.annotations?.readOnlyHint);
  return [...tasks, ...discoveryTools(readOnly)];
}
