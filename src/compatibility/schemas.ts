import { maxDepth } from '../platform/json/bounds.ts';
import { isObject } from '../platform/json/is-object.ts';
import type { Differences, DocumentPlace } from './difference.ts';
import { identities, references } from './identities.ts';
import { resolveReference } from './resolve-reference.ts';
import { rules } from './rules.ts';
import { type Budget, type Direction, report, type Schema, same, type Walk } from './walk.ts';

/** Limits of compared subschema pairs and keys for two schemas, and of keys for all schemas of two exports. */
const maxPairs = 4_000;
const stepLimit = 40_000;
const maxStepsOfAll = 150_000;

export function newBudget(): Budget {
  return { left: maxStepsOfAll };
}

/** Compares two schemas, and rates the impact: callers must fit input schemas and rely on output schemas. */
export function compareSchemas(
  differences: Differences,
  direction: Direction,
  baseline: unknown,
  current: unknown,
  place: DocumentPlace,
  whole: Budget = newBudget(),
): void {
  const identity = identities();
  const [was, is] = [identity(baseline), identity(current)];
  // References are local, so equal schemas mean the same.
  if (was !== undefined && was === is) return;
  const walk: Walk = {
    differences,
    direction,
    roots: { baseline, current },
    refers: references(),
    identity,
    seen: new WeakMap(),
    pairs: 0,
    budget: { left: stepLimit },
    whole,
    compare: (before, after, at, depth) => compare(walk, before, after, at, depth),
  };
  compare(walk, baseline, current, place, 0);
}

/** Charges both budgets. Returns false if either is used up. */
function spend({ budget, whole }: Walk, steps: number): boolean {
  budget.left -= steps;
  whole.left -= steps;
  return budget.left >= 0 && whole.left >= 0;
}

function compare(
  walk: Walk,
  baselinePart: unknown,
  currentPart: unknown,
  place: DocumentPlace,
  depth: number,
): void {
  if (!spend(walk, 1)) return tooLarge(walk, place);
  // Equal schemas may have references to different definitions. These are compared where they are defined, once.
  if (same(walk, baselinePart, currentPart) && !walk.refers(baselinePart)) return;
  const baseline = resolved(walk, walk.roots.baseline, baselinePart);
  const current = resolved(walk, walk.roots.current, currentPart);
  if (baseline === current || (typeof baseline === 'boolean' && typeof current === 'boolean'))
    return compareBooleans(walk, baseline, current, place);
  const [before, after] = [asSchema(baseline), asSchema(current)];
  if (!before || !after)
    return report(walk, 'changed', place, 'The schema changed to or from an invalid schema');
  if (wasSeen(walk, before, after)) return;
  if (depth > maxDepth || ++walk.pairs > maxPairs || !spend(walk, sizeOf(before) + sizeOf(after)))
    return tooLarge(walk, place);
  for (const rule of rules) rule(walk, before, after, place, depth);
}

/** Reports a schema as changed when the budget is used up, once per budget. */
function tooLarge(walk: Walk, place: DocumentPlace): void {
  const { budget, whole } = walk;
  const isOver = budget.left < 0 || whole.left < 0;
  if (isOver && budget.left === -Infinity) return;
  if (isOver) budget.left = -Infinity;
  report(walk, 'changed', place, 'The schemas are too large to be compared here');
}

/** The number of keys and listed items that the rules read. */
function sizeOf(schema: Schema): number {
  let size = 0;
  for (const key in schema) {
    size++;
    const part = schema[key];
    if (Array.isArray(part)) size += part.length;
    else if (typeof part === 'object' && part !== null && keyed.has(key)) size += Object.keys(part).length;
  }
  return size;
}

const keyed = new Set(['properties', 'patternProperties', 'dependentSchemas']);

function compareBooleans(walk: Walk, before: unknown, after: unknown, place: DocumentPlace): void {
  if (before === after) return;
  report(
    walk,
    after === false ? 'narrowed' : 'widened',
    place,
    after ? 'Any value is valid now' : 'No value is valid now',
  );
}

/** As an object: `true` and an absent schema accept everything, `false` nothing. Undefined for other values. */
function asSchema(value: unknown): Schema | undefined {
  if (value === true || value === undefined) return {};
  if (value === false) return { not: {} };
  return isObject(value) ? value : undefined;
}

/** Follows up to 16 references within the document. */
function resolved(walk: Walk, root: unknown, schema: unknown): unknown {
  let part = schema;
  for (let steps = 0; steps < 16 && isObject(part) && typeof part['$ref'] === 'string'; steps++) {
    const target = resolveReference(root, part['$ref']);
    if (target === undefined || !spend(walk, isObject(target) ? sizeOf(target) : 1)) return part;
    const { $ref: _, ...besides } = part;
    part = isObject(target) && Object.keys(besides).length > 0 ? { ...target, ...besides } : target;
  }
  return part;
}

function wasSeen({ seen }: Walk, before: object, after: object): boolean {
  const others = seen.get(before) ?? new WeakSet<object>();
  seen.set(before, others);
  if (others.has(after)) return true;
  others.add(after);
  return false;
}
