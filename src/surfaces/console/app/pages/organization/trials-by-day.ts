import type { Day } from '../../charts/days.tsx';

const dayMs = 86_400_000;

/** Trials by the day their run started, from the first day to the last, including days without any. */
export function trialsByDay(
  runs: readonly { createdAt: number; progress: { finished: number } }[],
  from: number,
  to: number,
): Day[] {
  const sums = new Map<string, number>();
  for (let at = from; at <= to; at += dayMs) sums.set(dayOf(at), 0);
  for (const { createdAt, progress } of runs) {
    const day = dayOf(createdAt);
    const sum = sums.get(day);
    if (sum !== undefined) sums.set(day, sum + progress.finished);
  }
  return [...sums].map(([day, value]) => ({ day, value }));
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
