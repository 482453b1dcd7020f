import { inspect } from 'node:util';

type Cell = string | number | boolean | null | undefined;

/** A table for people; `--json` for scripts. */
export function printRows<Row extends object>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => Cell>,
  json: boolean,
  out: NodeJS.WritableStream = process.stdout,
): void {
  if (json) return void out.write(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0) return void out.write('None.\n');
  const names = Object.keys(columns);
  const body = rows.map((row) => Object.values(columns).map((cell) => show(cell(row))));
  const widths = names.map((name, i) =>
    Math.max(name.length, ...body.map((cells) => width(cells[i] as string))),
  );
  const line = (cells: string[]): string =>
    cells
      .map((cell, i) => cell + ' '.repeat((widths[i] as number) - width(cell)))
      .join('  ')
      .trimEnd();
  out.write(`${[line(names), ...body.map(line)].join('\n')}\n`);
}

export function time(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().replace('T', ' ').slice(0, 16);
}

/** What somebody else said, as one line that can do nothing to a terminal. */
export function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, most + 1)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** Says what is going on: over the line before on a terminal, in a line of its own elsewhere. */
export function progress(screen: { isTTY?: boolean; write(text: string): unknown } = process.stderr): {
  say: (text: string) => void;
  end: () => void;
} {
  if (!screen.isTTY) return { say: (text) => void screen.write(`${text}\n`), end: () => {} };
  const clear = '\r\u001B[K';
  return { say: (text) => void screen.write(`${clear}${text}`), end: () => void screen.write(clear) };
}

function show(cell: Cell): string {
  return cell === null || cell === undefined ? '-' : typeof cell === 'string' ? cell : inspect(cell);
}

function width(text: string): number {
  return Array.from(text).length;
}
