import { oneLine } from '../../common/harmless-text.ts';
import type { Report } from '../../findings/report.ts';
import { tableText } from '../screen/table.ts';

/** Prints the tables of a report, notes, and its summary. */
export function printReport({ tables, summary }: Report, notes: readonly string[] = []): void {
  const shown = tables
    .filter(({ rows }) => rows.length > 0)
    .map(({ columns, rows }) => {
      const cells = rows.map((row) => row.map((cell, at) => oneLine(cell, at === row.length - 1 ? 160 : 80)));
      return `${tableText(columns, cells, process.stdout)}\n`;
    });
  process.stdout.write(`${[...shown, ...notes, summary].join('\n')}\n`);
}
