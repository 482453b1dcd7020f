import type { DifferenceKind, Differences, DocumentPlace, Impact } from './difference.ts';

export type Schema = Record<string, unknown>;

/** Whether a schema describes the input or the output of a server. */
export type Direction = 'input' | 'output';

/** Narrowed: fewer values are valid than before. Widened: more are. Changed: some more and some fewer, or unknown. */
export type ConstraintChange = 'narrowed' | 'widened' | 'changed';

/** The remaining steps of a comparison. */
export interface Budget {
  left: number;
}

/** The state of a comparison of two schemas. */
export interface Walk {
  differences: Differences;
  direction: Direction;
  roots: { baseline: unknown; current: unknown };
  refers: (value: unknown) => boolean;
  identity: (value: unknown) => number | undefined;
  seen: WeakMap<object, WeakSet<object>>;
  pairs: number;
  /** The budgets of this pair of schemas, and of all. */
  budget: Budget;
  whole: Budget;
  compare: (baseline: unknown, current: unknown, place: DocumentPlace, depth: number) => void;
}

/** Compares two schemas by one kind of keyword. */
export type Rule = (walk: Walk, before: Schema, after: Schema, place: DocumentPlace, depth: number) => void;

export function same({ identity }: Walk, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const number = identity(a);
  return number !== undefined && number === identity(b);
}

/** The impact of a change: inputs must not narrow, outputs must not widen, and `changed` may be either. */
function impactOf({ direction }: Walk, shift: ConstraintChange): Impact {
  if (shift === 'changed') return 'breaking';
  return (shift === 'narrowed') === (direction === 'input') ? 'breaking' : 'safe';
}

export function report(
  walk: Walk,
  shift: ConstraintChange,
  place: DocumentPlace,
  message: string,
  kind: DifferenceKind = shift,
): void {
  walk.differences.add(impactOf(walk, shift), kind, place, message);
}
