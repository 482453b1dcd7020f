/** Milliseconds that the loop below takes on a core of 2.5 GHz that nobody else uses. */
const quiet = 30;

/** How many times slower this machine runs now: others may be using its cores, or the host may. */
export function slowdown(): number {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < 20_000_000; i++) sum += i;
  const took = performance.now() - started;
  return sum > 0 ? Math.max(1, took / quiet) : 1;
}

/** What takes this many milliseconds at most on a quiet machine takes so many on this one. */
export function scaled(ms: number): number {
  return ms * slowdown();
}
