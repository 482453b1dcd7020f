import type { ModelFailure } from '../../../models/failure.ts';
import { asStorable } from '../../../platform/json/storable.ts';
import { redact } from '../../../platform/log.ts';

export type ErrorCode =
  | 'session_failed'
  | 'rate_limited'
  | 'spend_cap_exceeded'
  | 'host_worker_failed'
  | 'canceled'
  | 'stale_runner';

/** How a session ended. The turns are stored by then, but nothing else. */
export interface SessionOutcome {
  status: 'succeeded' | 'failed' | 'rate_limited';
  errorCode: ErrorCode | null;
  errorMessage: string | null;
  /** The turns were used up before the persona was done. */
  turnCap: boolean;
}

export function succeeded(turnCap: boolean): SessionOutcome {
  return { status: 'succeeded', errorCode: null, errorMessage: null, turnCap };
}

export function broken(errorCode: ErrorCode, message: string): SessionOutcome {
  const limited = errorCode === 'rate_limited' || errorCode === 'spend_cap_exceeded';
  return {
    status: limited ? 'rate_limited' : 'failed',
    errorCode,
    errorMessage: asStorable(redact(message).slice(0, 500)),
    turnCap: false,
  };
}

/** Maps a model failure to an outcome. A limit that mentions money applies to the whole organization. */
export function ofModelFailure({ kind, message }: ModelFailure): SessionOutcome {
  if (kind === 'quota' || kind === 'spend-cap') return broken('spend_cap_exceeded', message);
  if (kind !== 'rate-limited') return broken('session_failed', message);
  return broken(/spend|\bcap\b|quota|budget/i.test(message) ? 'spend_cap_exceeded' : 'rate_limited', message);
}
