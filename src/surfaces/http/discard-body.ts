import type { IncomingMessage } from 'node:http';

/** Limits for discarding a rejected body: bytes, total milliseconds, and milliseconds without data. */
const maxBytes = 32 * 1024 * 1024;
const totalTimeout = 10_000;
const idleTimeout = 1_000;

/**
 * Reads and discards the rest of a request body, up to the limits. Most clients send the whole body before they read
 * the response; closing the connection earlier would lose the response.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = maxBytes;
    const stop = (): void => {
      clearTimeout(total);
      clearTimeout(idle);
      request.off('data', count).off('end', stop).off('close', stop);
      resolve();
    };
    const count = (chunk: Uint8Array): void => {
      left -= chunk.length;
      idle.refresh();
      if (left < 0) stop();
    };
    const total = setTimeout(stop, totalTimeout);
    const idle = setTimeout(stop, idleTimeout);
    request.on('data', count).once('end', stop).once('close', stop);
    request.resume();
  });
}
