import { McpFailure } from '../../../mcp/failures.ts';
import type { Outbound } from '../../../mcp/outbound.ts';
import type { HttpTarget } from '../../../mcp/target.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { type Known, known, unknown } from '../../../readiness/evidence.ts';
import type { ServerContext } from '../../context/context.ts';
import { adviceFor } from '../../live/advice.ts';

/** The server under inspection, as used by one run. */
export interface InspectedServer {
  context: ServerContext;
  address: HttpTarget;
  /** Connects to the server, through its tunnel if it has one. */
  outbound: Outbound;
  /** Aborts when the run is cancelled or times out. */
  signal: AbortSignal;
  kind: 'claude' | 'openai';
  allowSideEffects: boolean;
  /** Values sent to the server, which it could echo. */
  secrets: string[];
}

/** Runs one part of the inspection with a time limit. A failure makes the part unknown, with the reason. */
export async function inspectWithTimeout<T>(
  { signal }: Pick<InspectedServer, 'signal'>,
  what: string,
  limit: number,
  work: (signal: AbortSignal) => Promise<Known<T> | T>,
): Promise<Known<T>> {
  const late = timeoutSignal(limit);
  try {
    const result = await work(AbortSignal.any([signal, late]));
    return isKnown<T>(result) ? result : known(result);
  } catch (error) {
    if (late.aborted || signal.aborted) return unknown(`${what} timed out`);
    if (error instanceof McpFailure)
      return unknown(briefly(`${what} could not be inspected. ${adviceFor(error)}`));
    throw error;
  }
}

const maxReasonLength = 1_000;

/** Bounds a reason, which may contain text of the server. */
export function briefly(reason: string): string {
  return reason.slice(0, maxReasonLength).toWellFormed();
}

function isKnown<T>(value: unknown): value is Known<T> {
  return typeof value === 'object' && value !== null && 'known' in value;
}
