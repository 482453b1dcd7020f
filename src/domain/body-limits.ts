import type { Operation } from '../contract/operation.ts';
import { hasMoreElements, type JsonLimits } from '../platform/json-bounds.ts';
import { invalid } from './invalid.ts';

export const usualLimits: JsonLimits = { elements: 100_000, keys: 10_000, depth: 64 };
/** Of operations that take more bytes than others: reports, traces, exports of servers. */
export const bulkLimits: JsonLimits = { ...usualLimits, elements: 250_000 };
const bulkBytes = 1024 * 1024;

/** How much JSON the body of an operation may hold: what is done with it takes time that grows with that. */
export function bodyLimitsOf({ bodyLimit = 0 }: Pick<Operation, 'bodyLimit'>): JsonLimits {
  return bodyLimit > bulkBytes ? bulkLimits : usualLimits;
}

/** Values of one stored document that is sorted, hashed or compared whenever somebody reads it. */
const mostInDocument = 10_000;

/** `name` is the field that holds the document. Asked of what is stored, which may be the sum of many requests. */
export function checkDocumentSize(name: string, document: unknown): void {
  if (hasMoreElements(document, mostInDocument))
    throw invalid(`${name}: More than ${mostInDocument.toLocaleString('en')} JSON values. Store less in it`);
}
