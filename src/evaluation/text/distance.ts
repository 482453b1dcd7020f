/** Maximum cells of the distance matrix, computed in about 20 ms. */
const maxCells = 4_000_000;

/**
 * Levenshtein distance in Unicode characters, as a share of the longer text, after removing the common prefix and
 * suffix. Undefined when the rest is too long.
 */
export function editDistance(a: string, b: string): number | undefined {
  const left = Array.from(a);
  const right = Array.from(b);
  const length = Math.max(left.length, right.length);
  if (length === 0) return 0;
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const rows = left.slice(start, left.length - end);
  const columns = right.slice(start, right.length - end);
  if (rows.length * columns.length > maxCells) return undefined;
  return edits(rows, columns) / length;
}

/** The Levenshtein distance, computed row by row; only the last row is kept. */
function edits(rows: readonly string[], columns: readonly string[]): number {
  const row = Uint32Array.from({ length: columns.length + 1 }, (_, at) => at);
  for (const [line, character] of rows.entries()) {
    let diagonal = line;
    row[0] = line + 1;
    for (let at = 1; at <= columns.length; at++) {
      const above = row[at] as number;
      const replaced = diagonal + (columns[at - 1] === character ? 0 : 1);
      row[at] = Math.min(above + 1, (row[at - 1] as number) + 1, replaced);
      diagonal = above;
    }
  }
  return row[columns.length] as number;
}
