/** Epoch milliseconds. Passed in, so that tests can control the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export function nextUtcMidnight(now: number): number {
  const day = 86_400_000;
  return (Math.floor(now / day) + 1) * day;
}

/** The UTC date as YYYY-MM-DD. */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
