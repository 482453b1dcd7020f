import { isDeeper, maxDepth } from '../platform/json/bounds.ts';

/** Maximum characters of the arguments of a call. */
export const maxInputLength = 100_000;

/** Why a call was not made. */
export interface InvalidCall {
  reason: 'unknown-tool' | 'malformed-input' | 'input-too-large' | 'input-too-deep';
  /** For the model. */
  message: string;
}

export type ReadInput = { input: Record<string, unknown> } | { invalid: InvalidCall };

/**
 * Parses the arguments of a call, unless they are longer than `most`. Invalid JSON is not repaired, because the output
 * of the model is what is measured.
 */
export function readToolInput(raw: string, most: number = maxInputLength): ReadInput {
  if (raw.length > Math.min(most, maxInputLength))
    return invalid(
      'input-too-large',
      `The arguments are longer than ${Math.min(most, maxInputLength).toLocaleString('en')} characters.`,
    );
  // Models write empty arguments like this.
  if (raw.trim() === '') return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return invalid('malformed-input', 'The arguments are not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('malformed-input', 'The arguments must be one JSON object.');
  if (isDeeper(value))
    return invalid('input-too-deep', `The arguments are nested deeper than ${maxDepth} levels.`);
  return { input: value as Record<string, unknown> };
}

function invalid(reason: InvalidCall['reason'], message: string): ReadInput {
  return { invalid: { reason, message } };
}
