export type Cell = string | number | null | undefined;

/** CSV for spreadsheets (RFC 4180). */
export function csvOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n');
}

/** Text that a spreadsheet would read as a formula gets a leading apostrophe. */
function cellOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
