export interface Reference {
  from: string;
  to: string;
}

/** Sorts tables so that each comes after the tables it references. In a cycle the first by name comes first. */
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

/** References to a later table. A reference to the table itself does not count: COPY checks it at its end. */
export function forward<R extends Reference>(order: readonly string[], references: readonly R[]): R[] {
  return references.filter(({ from, to }) => order.includes(from) && order.indexOf(to) > order.indexOf(from));
}
