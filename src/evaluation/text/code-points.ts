/** Sets of characters as sorted, disjoint, inclusive ranges. */
export type CodePoints = readonly (readonly [number, number])[];

export const lastUnit = 0xffff;
export const lastCodePoint = 0x10ffff;

export function union(...sets: readonly CodePoints[]): CodePoints {
  const joined: [number, number][] = [];
  for (const [from, to] of sets.flat().sort((one, other) => one[0] - other[0])) {
    const before = joined.at(-1);
    if (before && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export function complement(set: CodePoints, last: number): CodePoints {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}

export const digits: CodePoints = [[0x30, 0x39]];
export const wordCharacters = union(digits, [[0x41, 0x5a]], [[0x5f, 0x5f]], [[0x61, 0x7a]]);
export const lineEnds = union([[0x0a, 0x0a]], [[0x0d, 0x0d]], [[0x2028, 0x2029]]);
export const whitespace = union(
  lineEnds,
  [[0x09, 0x0c]],
  [[0x20, 0x20]],
  [[0xa0, 0xa0]],
  [[0x1680, 0x1680]],
  [[0x2000, 0x200a]],
  [[0x202f, 0x202f]],
  [[0x205f, 0x205f]],
  [[0x3000, 0x3000]],
  [[0xfeff, 0xfeff]],
);

/** Adds the other cases of each code unit, as the flag `i` compares them without `u`. */
export function withOtherCases(set: CodePoints): CodePoints {
  caseVariants ??= findCaseVariants();
  const added = caseVariants
    .filter((variants) => variants.some((unit) => contains(set, unit)))
    .flat()
    .map((unit): [number, number] => [unit, unit]);
  return union(set, added);
}

let caseVariants: number[][] | undefined;

function findCaseVariants(): number[][] {
  const byCanonical = new Map<number, number[]>();
  for (let unit = 0; unit <= lastUnit; unit++) {
    const upper = String.fromCharCode(unit).toUpperCase();
    const code = upper.charCodeAt(0);
    const canonical = upper.length !== 1 || (unit >= 128 && code < 128) ? unit : code;
    const variants = byCanonical.get(canonical);
    if (variants) variants.push(unit);
    else byCanonical.set(canonical, [unit]);
  }
  return [...byCanonical.values()].filter(({ length }) => length > 1);
}

function contains(set: CodePoints, point: number): boolean {
  let low = 0;
  let high = set.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = set[middle] as readonly [number, number];
    if (point < from) high = middle - 1;
    else if (point > to) low = middle + 1;
    else return true;
  }
  return false;
}
