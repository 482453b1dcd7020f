import type { Operation } from '../../contract/operation.ts';
import { hasMoreElements, type JsonLimits, maxDepth } from '../../platform/json/bounds.ts';
import { invalid } from './refusals.ts';

export const defaultLimits: JsonLimits = { elements: 100_000, keys: 10_000, depth: maxDepth };
/** For operations that accept large bodies: reports, traces, server exports. */
export const bulkLimits: JsonLimits = { ...defaultLimits, elements: 250_000 };
const bulkBytes = 1024 * 1024;

/** JSON limits of an operation's body; parsing and validation time grows with the number of values. */
export function bodyLimitsOf({ bodyLimit = 0 }: Pick<Operation, 'bodyLimit'>): JsonLimits {
  return bodyLimit > bulkBytes ? bulkLimits : defaultLimits;
}

/** Maximum number of values in a stored document that is sorted, hashed or compared on read. */
const maxInDocument = 10_000;

/** `name` is the field of the document. Checks the stored document, which several requests may have built up. */
export function checkDocumentSize(name: string, document: unknown): void {
  if (hasMoreElements(document, maxInDocument))
    throw invalid(`${name}: More than ${maxInDocument.toLocaleString('en')} JSON values. Store less in it`);
}
