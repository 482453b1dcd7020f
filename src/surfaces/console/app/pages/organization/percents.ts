/** Whole percents with commas between, each once and in order; undefined when that is not what was typed. */
export function percentsIn(typed: string): number[] | undefined {
  const parts = typed.split(/[\s,;%]+/).filter(Boolean);
  const percents = parts.map(Number);
  if (parts.length > 10 || percents.some((one) => !Number.isInteger(one) || one < 1 || one > 99))
    return undefined;
  return [...new Set(percents)].sort((a, b) => a - b);
}
