/** Whether arrays and objects stand in each other more than so many levels. */
export function isDeeper(value: unknown, most: number): boolean {
  // Level by level: a recursion would end with the stack on the value it is meant to find.
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((container): unknown[] => Object.values(container)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
