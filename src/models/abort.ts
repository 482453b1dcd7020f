import { ModelFailure } from './failure.ts';

/** The outcome of `work`, or a failure as soon as the signal aborts: not everything that is waited for listens to it. */
export async function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const pending = Promise.resolve(work);
  // Nobody waits for it after an abort, and its failure must not end the process.
  pending.catch(() => {});
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(new ModelFailure('aborted', 'The call of the model was given up'));
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
    aborted.catch(() => {});
  }
}
