/**
 * Runs `work` for each item, at most `concurrency` at once. The first failure aborts the others and is thrown when all
 * have ended.
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  const rest = items.values();
  const worker = async (): Promise<void> => {
    try {
      for (const item of rest) {
        ends.throwIfAborted();
        await work(item, ends);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  failed.signal.throwIfAborted();
}
