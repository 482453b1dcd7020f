/** Those whose time is not up. */
const running = new Set<AbortSignal>();

/**
 * Aborts after so many milliseconds. AbortSignal.timeout alone is not enough: Node 20 forgets such a signal when only an
 * AbortSignal.any refers to it, and the time would never be up.
 */
export function timeLimit(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(ms);
  running.add(signal);
  signal.addEventListener('abort', () => running.delete(signal), { once: true });
  return signal;
}
