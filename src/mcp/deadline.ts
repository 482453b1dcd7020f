import { Deadline } from '../platform/flow/deadline.ts';
import { McpFailure } from './failures.ts';

export interface Wait {
  /** Milliseconds left. */
  timeout: number;
  /** The original timeout, for the error message, where `timeout` is the rest of it. */
  allowed?: number | undefined;
  /** Aborts when the caller has disconnected. */
  signal?: AbortSignal | undefined;
}

export type McpDeadline = Deadline<McpFailure>;

export function deadlineOf({ timeout, allowed = timeout, signal }: Wait): McpDeadline {
  return new Deadline({
    timeout,
    signal,
    timedOut: () => {
      const span = allowed < 1000 ? `${Math.round(allowed)} ms` : `${Math.round(allowed / 100) / 10} s`;
      return new McpFailure('timeout', `The MCP server did not answer within ${span} (timed out)`, {
        waited: allowed,
      });
    },
    cancelled: () => new McpFailure('cancelled', 'The caller has disconnected'),
  });
}
