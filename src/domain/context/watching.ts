import type { Context } from './context.ts';

/** Poll interval in milliseconds, in case an announcement is missed. */
const pollInterval = 5_000;

/**
 * Yields at once, after each database announcement about this ID, and after each poll interval without one. Ends when
 * the reader disconnects or loses access; on reconnect, the reader gets the refusal.
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
      const timer = setTimeout(wake, pollInterval);
      if (!gone.aborted) await changed;
      clearTimeout(timer);
    }
  } finally {
    stop();
  }
}
