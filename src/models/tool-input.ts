import { isDeeper } from '../platform/json-depth.ts';

/** Characters of the arguments of one call that are read and kept. */
export const mostInputLength = 100_000;
const mostDepth = 64;

/** Why a call was not made. */
export interface InvalidCall {
  reason: 'unknown-tool' | 'malformed-input' | 'input-too-large' | 'input-too-deep';
  /** For the model. */
  message: string;
}

export type ReadInput = { input: Record<string, unknown> } | { invalid: InvalidCall };

/** The arguments of a call, read when they are not longer than `most`. Nothing is repaired: what is measured is what the model sent. */
export function readToolInput(raw: string, most: number = mostInputLength): ReadInput {
  if (raw.length > Math.min(most, mostInputLength))
    return invalid(
      'input-too-large',
      `The arguments are longer than ${Math.min(most, mostInputLength).toLocaleString('en')} characters.`,
    );
  // How models write that there are none.
  if (raw.trim() === '') return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return invalid('malformed-input', 'The arguments are not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('malformed-input', 'The arguments must be one JSON object.');
  if (isDeeper(value, mostDepth))
    return invalid('input-too-deep', `The arguments are nested deeper than ${mostDepth} levels.`);
  return { input: value as Record<string, unknown> };
}

function invalid(reason: InvalidCall['reason'], message: string): ReadInput {
  return { invalid: { reason, message } };
}
