export interface Reference {
  from: string;
  to: string;
}

/** Tables before those that refer to them. In a circle the first by name goes first. */
export function referredFirst(tables: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(tables.toSorted());
  const ordered: string[] = [];
  const waits = (table: string): boolean =>
    references.some(({ from, to }) => from === table && to !== table && left.has(to));
  for (let [first] = left; first !== undefined; [first] = left) {
    const next = [...left].find((table) => !waits(table)) ?? first;
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

/** References to a table that comes later; to itself is not later, as one COPY is checked at its end. */
export function forward<R extends Reference>(order: readonly string[], references: readonly R[]): R[] {
  return references.filter(({ from, to }) => order.includes(from) && order.indexOf(to) > order.indexOf(from));
}
