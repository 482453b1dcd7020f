import { OperatorProblem } from '../../platform/problem.ts';
import type { Where } from './connect/connect.ts';
import { exitCodes } from './exit-codes.ts';

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

/** Follows what a service does. Ctrl-C ends the following only; `cancel` is the command that ends the rest. */
export async function followUnlessInterrupted(
  cancel: string,
  follow: (signal: AbortSignal) => Promise<void>,
  kind: Where['kind'] = 'service',
): Promise<void> {
  const over = await interruptible(async (signal) => {
    await follow(signal);
    signal.throwIfAborted();
    return true;
  });
  if (over) return;
  const told = {
    service: `Stopped following. The run goes on in the service. To end it: ${cancel}`,
    here: `Interrupted. The run stopped with this command; the next service here continues it. To end it: ${cancel}`,
    temporary: 'Interrupted. The run ended with this command, without a verdict',
  };
  throw new OperatorProblem(told[kind], { exitCode: exitCodes.interrupted });
}
