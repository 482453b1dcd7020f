import type { Context } from './context.ts';

/** Milliseconds after which a reader looks without an announcement, or after one that was missed. */
const look = 5_000;

/**
 * Turns of somebody who watches one thing: one at once, and one after each announcement about it in the database. They
 * end when the reader hangs up, or may no longer read; a reader who comes again is told why.
 */
export async function* turnsOf(context: Context, channel: string, id: string): AsyncGenerator<void> {
  let wake = (): void => {};
  const gone = context.callerGone();
  gone.addEventListener('abort', () => wake(), { once: true });
  const stop = context.notifications.on(channel, (which) => {
    if (which === undefined || which === id) wake();
  });
  try {
    while (!gone.aborted) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      yield;
      const timer = setTimeout(wake, look);
      if (!gone.aborted) await changed;
      clearTimeout(timer);
    }
  } finally {
    stop();
  }
}
