import type { Pacer } from '../platform/flow/pacer.ts';
import type { JsonLimits } from '../platform/json/bounds.ts';
import { McpFailure } from './failures.ts';

const mebibyte = 1024 * 1024;

/** Options for reading a response. */
export interface Reading {
  /** A document, not a conversation, so an event stream is read as plain bytes. */
  document?: boolean;
  /** Only the status matters: reads the start of the body and ignores errors. */
  statusOnly?: boolean;
  /** Maximum bytes of one response or event, if lower than the default. */
  bytes?: number;
  /** Limits of a message. Lower during the handshake. */
  limits?: JsonLimits;
  /** Called with the number of bytes received. */
  read?: ((bytes: number) => void) | undefined;
  /** Limits the rate of a stream. */
  pace?: Pacer | undefined;
  /** Called with the reason when a stream was cut off. */
  broke?: ((failure: McpFailure) => void) | undefined;
  /** Called with a function that ends the stream early. */
  opened?: ((end: () => void) => void) | undefined;
}

/** The body of an undici response. */
export interface Body extends AsyncIterable<Buffer> {
  destroy(): void;
}

/** Bytes read before yielding. Otherwise Node reads a busy socket thirty times in a row, and then the next one. */
export const bytesInTurn = 128 * 1024;

export function tooLarge(host: string, bytes: number): McpFailure {
  return new McpFailure(
    'too-large',
    `${host} answered with more than ${Math.floor(bytes / mebibyte)} MiB; the answer was cut off`,
  );
}
