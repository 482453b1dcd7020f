import { JsonBounds, type JsonLimits, maxDepth, maxValueDepth } from '../platform/json/bounds.ts';
import { McpFailure } from './failures.ts';

/**
 * A result within these limits parses in well under 100 ms, whatever its shape. They allow more depth than the default,
 * because a result may contain a schema or document of the server's own.
 */
export const messageLimits: JsonLimits = {
  elements: 100_000,
  depth: maxValueDepth,
  keys: 10_000,
  batch: 100,
};
/** Limits of handshakes and lists, whose elements are each validated against a schema. */
export const handshakeLimits: JsonLimits = { elements: 5_000, depth: maxDepth, keys: 5_000, batch: 10 };

/** Limits the JSON that a server sends. `from` names the server in the failure. */
export function answerBounds(limits: JsonLimits, from: string): JsonBounds {
  return new JsonBounds(
    limits,
    (what) =>
      new McpFailure('too-large', `${from} answered with ${what}; the answer was not read`, {
        code: 'JSON_BOUNDS',
      }),
  );
}
