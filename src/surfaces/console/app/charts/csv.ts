export type Cell = string | number | null | undefined;

/** As a table that spreadsheets read (RFC 4180). */
export function csvOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n');
}

/** A text that a spreadsheet would take for a formula gets an apostrophe, which makes it a text. */
function cellOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
