import { BrowserFailure } from '../../browser/failure.ts';
import { Refusal } from '../../contract/errors.ts';
import type { BrowserRow } from '../../platform/database/queries/browser-sessions.ts';
import type { Engines } from '../base/engines.ts';
import { conflict } from '../base/refusals.ts';

/** Seconds after which a slot may be free. */
const retryAfter = 5;

/** Converts a failure of the browser engine to a refusal; other errors are returned unchanged. */
export function browserRefusal(error: unknown): unknown {
  if (!(error instanceof BrowserFailure)) return error;
  const { kind, message } = error;
  switch (kind) {
    case 'off':
      return new Refusal('FEATURE_NOT_SUPPORTED', message, { details: { reason: 'BROWSER_UNAVAILABLE' } });
    case 'capacity':
      return new Refusal('RATE_LIMITED', message, { details: { reason: 'BROWSER_CAPACITY' }, retryAfter });
    case 'timeout':
      return new Refusal('TIMEOUT', message, { details: { reason: 'BROWSER_TIMEOUT' } });
    case 'closed':
    case 'crashed':
      return conflict(message, 'BROWSER_CLOSED');
    case 'refused':
    case 'not-allowed':
      return new Refusal('VALIDATION_ERROR', `policy: ${message}`);
  }
}

/** Refuses where no browser is available, before anything is done. */
export function checkBrowser({ browsers }: Pick<Engines, 'browsers'>): void {
  try {
    browsers.checkAvailable();
  } catch (error) {
    throw browserRefusal(error);
  }
}

export function noBrowser(): Refusal {
  return new Refusal('NOT_FOUND', 'No such browser in this project');
}

export function closedBrowser({
  closedReason,
  runKey,
}: Pick<BrowserRow, 'closedReason' | 'runKey'>): Refusal {
  const next = runKey === null ? 'Open another one' : 'Open another one with a new runKey';
  return conflict(`The browser is closed: ${closedReason ?? 'it was closed'}. ${next}`, 'BROWSER_CLOSED');
}
