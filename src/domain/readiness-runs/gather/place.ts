import { McpFailure } from '../../../mcp/failures.ts';
import type { Outbound } from '../../../mcp/outbound.ts';
import type { HttpTarget } from '../../../mcp/target.ts';
import { timeLimit } from '../../../platform/time-limit.ts';
import { type Known, known, unknown } from '../../../readiness/evidence.ts';
import type { ServerContext } from '../../context.ts';
import { adviceFor } from '../../live/advice.ts';

/** A server that is being looked at, as one run does it. */
export interface Place {
  context: ServerContext;
  address: HttpTarget;
  /** Reaches the server, through its tunnel where it has one. */
  outbound: Outbound;
  /** Aborts when the run is cancelled or its time is over. */
  signal: AbortSignal;
  kind: 'claude' | 'openai';
  allowSideEffects: boolean;
  /** What the server has been told and could repeat. */
  secrets: string[];
}

/** A part of the evidence with a time limit of its own. What fails is not known, and says why. */
export async function within<T>(
  { signal }: Pick<Place, 'signal'>,
  what: string,
  limit: number,
  work: (signal: AbortSignal) => Promise<Known<T> | T>,
): Promise<Known<T>> {
  const late = timeLimit(limit);
  try {
    const result = await work(AbortSignal.any([signal, late]));
    return isKnown<T>(result) ? result : known(result);
  } catch (error) {
    if (late.aborted || signal.aborted) return unknown(`${what} did not come in time`);
    if (error instanceof McpFailure)
      return unknown(briefly(`${what} could not be looked at. ${adviceFor(error)}`));
    throw error;
  }
}

const longestReason = 1_000;

/** What a failure says may be in words of the server. */
export function briefly(reason: string): string {
  return reason.slice(0, longestReason).toWellFormed();
}

function isKnown<T>(value: unknown): value is Known<T> {
  return typeof value === 'object' && value !== null && 'known' in value;
}
