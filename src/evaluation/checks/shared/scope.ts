import type { ToolCall, TrialEvidence } from '../../evidence.ts';

export function inScope<Item extends { toolName: string }>(
  items: readonly Item[],
  toolName: string | undefined,
): readonly Item[] {
  return toolName === undefined ? items : items.filter((item) => item.toolName === toolName);
}

/** Calls that were sent to a server. Invalid calls meet no expectation, but still count as unwanted calls. */
export function madeCalls(evidence: TrialEvidence, toolName: string | undefined): readonly ToolCall[] {
  return inScope(evidence.toolCalls, toolName).filter(({ invalid }) => invalid === undefined);
}

export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
