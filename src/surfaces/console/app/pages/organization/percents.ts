/** Parses comma-separated whole percentages, sorted and deduplicated; undefined if invalid. */
export function percentsIn(typed: string): number[] | undefined {
  const parts = typed.split(/[\s,;%]+/).filter(Boolean);
  const percents = parts.map(Number);
  if (parts.length > 10 || percents.some((one) => !Number.isInteger(one) || one < 1 || one > 99))
    return undefined;
  return [...new Set(percents)].sort((a, b) => a - b);
}
