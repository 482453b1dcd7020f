/** Epoch milliseconds. Passed in wherever time matters, so that tests can hold it still. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export function nextUtcMidnight(now: number): number {
  const day = 86_400_000;
  return (Math.floor(now / day) + 1) * day;
}
