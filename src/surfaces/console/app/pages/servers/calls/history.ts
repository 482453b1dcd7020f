import type { Output } from '../../../api/index.ts';
import { personalStoreOf } from '../../../kit/store.ts';

/** A tool call made in this tab, and its outcome. */
export interface ToolCall {
  id: number;
  serverId: string;
  toolName: string;
  parameters: Record<string, unknown>;
  at: number;
  /** Neither is set while the call is running. */
  result?: Output<'callTool'>;
  error?: unknown;
}

/** Kept in memory until the tab closes, because results may be large and sensitive. */
const calls = personalStoreOf<readonly ToolCall[]>([]);
let next = 1;
const maxKept = 50;

/** Adds a call, newest first, and drops the oldest above the limit. */
export function began(call: Pick<ToolCall, 'serverId' | 'toolName' | 'parameters'>): number {
  const id = next++;
  calls.set([{ ...call, id, at: Date.now() }, ...calls.get()].slice(0, maxKept));
  return id;
}

export function ended(id: number, outcome: Pick<ToolCall, 'result'> | Pick<ToolCall, 'error'>): void {
  calls.set(calls.get().map((call) => (call.id === id ? { ...call, ...outcome } : call)));
}

/** Removes an aborted call. */
export function forget(id: number): void {
  calls.set(calls.get().filter((call) => call.id !== id));
}

export function useCalls(serverId: string): readonly ToolCall[] {
  return calls.use().filter((call) => call.serverId === serverId);
}
