import { JsonBounds, type JsonLimits } from '../platform/json-bounds.ts';
import { McpFailure } from './failures.ts';

/** A result of this size is parsed in well under a tenth of a second, whatever its shape. */
export const messageLimits: JsonLimits = { elements: 100_000, depth: 256, keys: 10_000, batch: 100 };
/** What a server says of itself is checked field by field, which costs far more for each element. */
export const handshakeLimits: JsonLimits = { elements: 5_000, depth: 64, keys: 5_000, batch: 10 };

/** Bounds of what a server sends. `from` names it in the failure. */
export function answerBounds(limits: JsonLimits, from: string): JsonBounds {
  return new JsonBounds(
    limits,
    (what) =>
      new McpFailure('too-large', `${from} answered with ${what}; the answer was not read`, {
        code: 'JSON_BOUNDS',
      }),
  );
}
