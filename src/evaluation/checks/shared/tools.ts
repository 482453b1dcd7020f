import { isObject } from '../../../platform/json/is-object.ts';
import type { DeclaredTool, ToolCall, TrialEvidence } from '../../evidence.ts';
import { list } from '../../text/show.ts';
import { type CheckFinding, failed, missing, passed } from './kind.ts';

/** The declarations that match a call: several if it names no server and several servers have the tool. */
export function declarationsOf(
  { toolName, serverId }: Pick<ToolCall, 'toolName' | 'serverId'>,
  tools: readonly DeclaredTool[],
): DeclaredTool[] {
  return tools.filter(
    (tool) => tool.name === toolName && (serverId === undefined || tool.serverId === serverId),
  );
}

/** Checks every declared tool. `fault` returns the problem of a tool. */
export function everyDeclaredTool(
  { declarations }: TrialEvidence,
  fault: (tool: DeclaredTool) => string | undefined,
  good: string,
): CheckFinding {
  if (declarations.state !== 'complete')
    return missing('Not all tools were recorded as the servers declare them');
  const faults: string[] = [];
  for (const tool of declarations.items) {
    const found = fault(tool);
    if (found !== undefined) faults.push(`${nameOf(tool)} ${found}`);
  }
  return faults.length === 0 ? passed(good) : failed(list(faults));
}

function nameOf({ name }: DeclaredTool): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

const announcements = [
  /^[^a-z]{0,20}deprecated\b/,
  /\bthis (?:tool|endpoint|method|function) is (?:now )?deprecated\b/,
  /\bdeprecated[:.]/,
];
const replacement = /\buse .{1,100}? instead\b/s;

/** Whether the description says that the tool is deprecated, or what to use instead. */
export function isDeprecated({ description }: DeclaredTool): boolean {
  if (typeof description !== 'string') return false;
  const text = description.slice(0, 2_000).trim().toLowerCase();
  const at = text.indexOf('deprecated');
  if (at === -1) return false;
  return announcements.some((words) => words.test(text)) || replacement.test(text.slice(at, at + 200));
}

export function hint({ annotations }: DeclaredTool, name: string): unknown {
  return isObject(annotations) ? annotations[name] : undefined;
}
