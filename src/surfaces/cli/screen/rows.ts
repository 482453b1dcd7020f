import { inspect } from 'node:util';
import { oneLine } from '../../common/harmless-text.ts';
import { jsonText } from './json.ts';
import type { Screen } from './screen.ts';
import { tableText } from './table.ts';

type Cell = string | number | boolean | null | undefined;

export type Columns<Row> = Record<string, (row: Row) => Cell>;

export function printRows<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  json: boolean,
  out: Screen = process.stdout,
): void {
  if (json) return void out.write(`${jsonText(rows, out, 2)}\n`);
  if (rows.length === 0) return void out.write('None.\n');
  const cells = rows.map((row) => Object.values(columns).map((cell) => show(cell(row))));
  out.write(`${tableText(Object.keys(columns), cells, out)}\n`);
}

function show(cell: Cell): string {
  if (cell === null || cell === undefined) return '-';
  return typeof cell === 'string' ? oneLine(cell, 1000) : inspect(cell);
}
