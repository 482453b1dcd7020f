/** Milliseconds that the loop below takes on an idle core of 2.5 GHz. */
const quiet = 30;

/** The factor by which this machine is slower now, because of other processes or of its host. */
export function slowdown(): number {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < 20_000_000; i++) sum += i;
  const took = performance.now() - started;
  return sum > 0 ? Math.max(1, took / quiet) : 1;
}

/** Converts a time on an idle machine to a time on this machine now. */
export function scaled(ms: number): number {
  return ms * slowdown();
}
