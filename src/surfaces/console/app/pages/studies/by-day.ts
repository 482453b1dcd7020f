import type { Day } from '../../charts/days.tsx';

const dayMs = 86_400_000;
/** More bars would be too narrow to read. */
const maxDays = 30;

/** One value per day from the first to the last day with data, at most the last 30; 0 on days without data. */
export function byDay<Row extends { dayStartMs: number }>(
  rows: readonly Row[],
  figure: (row: Row) => number,
): Day[] {
  const sums = new Map(rows.map((row) => [row.dayStartMs, figure(row)]));
  const [first, last] = [Math.min(...sums.keys()), Math.max(...sums.keys())];
  if (!Number.isFinite(last)) return [];
  const days = Math.min(maxDays, Math.round((last - first) / dayMs) + 1);
  return Array.from({ length: days }, (_, at) => {
    const start = last - (days - 1 - at) * dayMs;
    return { day: new Date(start).toISOString().slice(0, 10), value: sums.get(start) ?? 0 };
  });
}
