/**
 * Does something that Ctrl-C ends: `undefined` then. Whatever else listens for it, like the end of a database that this
 * command has started, waits until this is over; a second Ctrl-C reaches it at once.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const others = process.rawListeners('SIGINT') as (() => void)[];
  const restore = (): void => {
    process.off('SIGINT', press);
    for (const other of others.splice(0)) process.on('SIGINT', other);
  };
  const press = (): void => {
    if (!stop.signal.aborted) return stop.abort();
    restore();
    process.kill(process.pid, 'SIGINT');
  };
  process.removeAllListeners('SIGINT').on('SIGINT', press);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  } finally {
    restore();
  }
}
