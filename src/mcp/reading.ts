import type { JsonLimits } from '../platform/json-bounds.ts';
import { McpFailure } from './failures.ts';
import type { Pace } from './pace.ts';

const mebibyte = 1024 * 1024;

/** How an answer is read. */
export interface Reading {
  /** It is no conversation, so an event stream is only bytes. */
  document?: boolean;
  /** Only the status counts: the beginning of the body is read, and however that goes, it is an answer. */
  statusOnly?: boolean;
  /** Bytes of one answer or event, when fewer than usual. */
  bytes?: number;
  /** How much JSON a message may hold; what a server says of itself at first is little. */
  limits?: JsonLimits;
  /** Told how many bytes have come. */
  read?: ((bytes: number) => void) | undefined;
  /** How fast a stream may be. */
  pace?: Pace | undefined;
  /** Told why a stream was cut off. */
  broke?: ((failure: McpFailure) => void) | undefined;
  /** Given what ends a stream that has nothing more to say. */
  opened?: ((end: () => void) => void) | undefined;
}

/** What undici gives for the body of an answer. */
export interface Body extends AsyncIterable<Buffer> {
  destroy(): void;
}

/**
 * Bytes of one answer that are looked at before others get their turn. A socket with much to read is read thirty times
 * in a row otherwise, and the next one after it.
 */
export const bytesInTurn = 128 * 1024;

export function tooLarge(host: string, bytes: number): McpFailure {
  return new McpFailure(
    'too-large',
    `${host} answered with more than ${Math.floor(bytes / mebibyte)} MiB; the answer was cut off`,
  );
}
