import type { DifferenceKind, Differences, Impact, Place } from './difference.ts';

export type Schema = Record<string, unknown>;

/** What a schema describes: what a server takes, or what it gives. */
export type Direction = 'input' | 'output';

/** Narrowed: fewer values fit than before. Widened: more do. Changed: some more and some fewer, or nobody can tell. */
export type Shift = 'narrowed' | 'widened' | 'changed';

/** What is left of the steps that one comparison may take. */
export interface Effort {
  left: number;
}

/** Two schemas on their way through the rules. */
export interface Walk {
  differences: Differences;
  direction: Direction;
  roots: { baseline: unknown; current: unknown };
  /** Whether there is a reference in it. */
  refers: (value: unknown) => boolean;
  identity: (value: unknown) => number | undefined;
  seen: WeakMap<object, WeakSet<object>>;
  pairs: number;
  /** Of this pair of schemas, and of all. */
  effort: Effort;
  whole: Effort;
  /** Goes on with parts of both. */
  compare: (baseline: unknown, current: unknown, place: Place, depth: number) => void;
}

/** What one kind of keyword tells about two schemas. */
export type Rule = (walk: Walk, before: Schema, after: Schema, place: Place, depth: number) => void;

export function same({ identity }: Walk, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const number = identity(a);
  return number !== undefined && number === identity(b);
}

/** Impact of a shift: what is taken may not narrow, what is given may not widen. */
function impactOf({ direction }: Walk, shift: Shift): Impact {
  if (shift === 'changed') return 'breaking';
  return (shift === 'narrowed') === (direction === 'input') ? 'breaking' : 'safe';
}

export function tell(
  walk: Walk,
  shift: Shift,
  place: Place,
  message: string,
  kind: DifferenceKind = shift,
): void {
  walk.differences.add(impactOf(walk, shift), kind, place, message);
}
