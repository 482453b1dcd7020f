import type { ModelFailure } from '../../../models/failure.ts';
import { redact } from '../../../platform/log.ts';
import { asStorable } from '../../storable.ts';

export type ErrorCode =
  | 'session_failed'
  | 'rate_limited'
  | 'spend_cap_exceeded'
  | 'host_worker_failed'
  | 'canceled'
  | 'stale_runner';

/** What a session came to; its turns are written by then, and nothing else of it. */
export interface SessionOutcome {
  status: 'succeeded' | 'failed' | 'rate_limited';
  errorCode: ErrorCode | null;
  errorMessage: string | null;
  /** It had all its turns, and the persona was not done. */
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

/** What a model that fails means for the session: a limit that speaks of money is one of the whole organization. */
export function ofModelFailure({ kind, message }: ModelFailure): SessionOutcome {
  if (kind === 'quota' || kind === 'spend-cap') return broken('spend_cap_exceeded', message);
  if (kind !== 'rate-limited') return broken('session_failed', message);
  return broken(/spend|\bcap\b|quota|budget/i.test(message) ? 'spend_cap_exceeded' : 'rate_limited', message);
}
