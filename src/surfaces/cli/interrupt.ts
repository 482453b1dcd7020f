import { OperatorProblem } from '../../platform/problem.ts';
import type { Where } from './connect/connect.ts';
import { exitCodes } from './exit-codes.ts';

/**
 * Runs work that Ctrl-C aborts, and then returns `undefined`. Other SIGINT listeners, such as the one that stops the
 * embedded database, are suspended until the work ends; a second Ctrl-C reaches them at once.
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

/** Follows a run. Ctrl-C stops following without cancelling the run; the message names the command that cancels it. */
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
  const messages = {
    service: `Stopped following. The run continues in the service. To cancel it: ${cancel}`,
    here: `Interrupted. The run stopped with this command and resumes with the next service here. To cancel it: ${cancel}`,
    temporary: 'Interrupted. The run ended with this command, without a verdict',
  };
  throw new OperatorProblem(messages[kind], { exitCode: exitCodes.interrupted });
}
