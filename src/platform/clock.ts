/** Epoch milliseconds. Passed in wherever time matters, so that tests can hold it still. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export function nextUtcMidnight(now: number): number {
  const day = 86_400_000;
  return (Math.floor(now / day) + 1) * day;
}

/** The day in UTC, as it is written down. */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
