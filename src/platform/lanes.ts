/** So many at once; the first that fails stops the others, and nothing goes on behind it. */
export async function inLanes<T>(
  items: readonly T[],
  lanes: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  const rest = items.values();
  const lane = async (): Promise<void> => {
    try {
      for (const item of rest) {
        ends.throwIfAborted();
        await work(item, ends);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  failed.signal.throwIfAborted();
}
