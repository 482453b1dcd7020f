/** The median, and the smallest and largest beside it: a machine is noisy, and a bare number hides that. */
export interface Figure {
  median: number;
  low: number;
  high: number;
}

export function figure(values: number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
  return { median, low: sorted[0] as number, high: sorted.at(-1) as number };
}

/** Ratio by ratio, round by round: what disturbed a round disturbed both sides of it. */
export function ratios(values: number[], bases: number[]): Figure {
  return figure(values.map((value, round) => value / (bases[round] as number)));
}

export function show({ median, low, high }: Figure, digits = 2): string {
  return `${median.toFixed(digits)} [${low.toFixed(digits)}–${high.toFixed(digits)}]`;
}

export function table(rows: string[][]): string {
  const widths = (rows[0] as string[]).map((_, i) =>
    Math.max(...rows.map((row) => (row[i] as string).length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
        .join('  '),
    )
    .join('\n');
}
