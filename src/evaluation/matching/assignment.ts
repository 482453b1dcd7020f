/** The index of the right item assigned to each left item. */
export type Assignment = (number | undefined)[];

/**
 * A maximum one-to-one assignment of left to right items (augmenting paths). Once assigned, a left item stays assigned,
 * so the unassigned ones are always the last possible, whatever the order on the right.
 */
export function largestAssignment(
  lefts: number,
  rights: number,
  fits: (left: number, right: number) => boolean,
): Assignment {
  const candidates = Array.from({ length: lefts }, (_, left) => {
    const found: number[] = [];
    for (let right = 0; right < rights; right++) if (fits(left, right)) found.push(right);
    return found;
  });
  const takenBy: (number | undefined)[] = Array.from({ length: rights });
  for (let left = 0; left < lefts; left++) augment(left, candidates, takenBy);
  const assignment: Assignment = Array.from({ length: lefts });
  takenBy.forEach((left, right) => {
    if (left !== undefined) assignment[left] = right;
  });
  return assignment;
}

/** Searches breadth-first for the shortest augmenting path. */
function augment(
  start: number,
  candidates: readonly (readonly number[])[],
  takenBy: (number | undefined)[],
): void {
  const reachedFrom = new Map<number, number>();
  const queue = [start];
  for (const left of queue) {
    for (const right of candidates[left] ?? []) {
      if (reachedFrom.has(right)) continue;
      reachedFrom.set(right, left);
      const holder = takenBy[right];
      if (holder === undefined) {
        handOver(start, right, reachedFrom, takenBy);
        return;
      }
      queue.push(holder);
    }
  }
}

function handOver(
  start: number,
  last: number,
  reachedFrom: ReadonlyMap<number, number>,
  takenBy: (number | undefined)[],
): void {
  let right = last;
  for (;;) {
    const left = reachedFrom.get(right) ?? start;
    const before = takenBy.indexOf(left);
    takenBy[right] = left;
    if (left === start) return;
    right = before;
  }
}

/** A maximum assignment in which both sides keep their order: the longest common subsequence. */
export function largestOrderedAssignment(
  lefts: number,
  rights: number,
  fits: (left: number, right: number) => boolean,
): Assignment {
  const width = rights + 1;
  /** How many can be assigned among the left items from `left` on and the right items from `right` on. */
  const most = new Uint32Array((lefts + 1) * width);
  const at = (left: number, right: number): number => most[left * width + right] ?? 0;
  for (let left = lefts - 1; left >= 0; left--)
    for (let right = rights - 1; right >= 0; right--)
      most[left * width + right] = fits(left, right)
        ? at(left + 1, right + 1) + 1
        : Math.max(at(left + 1, right), at(left, right + 1));
  const assignment: Assignment = Array.from({ length: lefts });
  let left = 0;
  let right = 0;
  while (left < lefts && right < rights) {
    if (fits(left, right)) assignment[left++] = right++;
    else if (at(left + 1, right) > at(left, right + 1)) left++;
    else right++;
  }
  return assignment;
}
