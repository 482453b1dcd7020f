import type { Output } from '../../../api/index.ts';
import { personalStoreOf } from '../../../kit/store.ts';

/** A call of a tool that was made here, and what came of it. */
export interface ToolCall {
  id: number;
  serverId: string;
  toolName: string;
  parameters: Record<string, unknown>;
  at: number;
  /** Neither while it is under way. */
  result?: Output<'callTool'>;
  error?: unknown;
}

/** As long as the tab is open; results may be large, and may hold what nobody wants to find on a disk. */
const calls = personalStoreOf<readonly ToolCall[]>([]);
let next = 1;
const maxKept = 50;

/** Keeps a call, the newest first, until there are too many. */
export function began(call: Pick<ToolCall, 'serverId' | 'toolName' | 'parameters'>): number {
  const id = next++;
  calls.set([{ ...call, id, at: Date.now() }, ...calls.get()].slice(0, maxKept));
  return id;
}

export function ended(id: number, outcome: Pick<ToolCall, 'result'> | Pick<ToolCall, 'error'>): void {
  calls.set(calls.get().map((call) => (call.id === id ? { ...call, ...outcome } : call)));
}

/** An aborted call is removed. */
export function forget(id: number): void {
  calls.set(calls.get().filter((call) => call.id !== id));
}

export function useCalls(serverId: string): readonly ToolCall[] {
  return calls.use().filter((call) => call.serverId === serverId);
}
