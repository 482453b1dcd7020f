import { isObject } from '../evaluation/json/value.ts';
import type { Differences, Place } from './difference.ts';
import { identities, references } from './identities.ts';
import { pointed } from './pointed.ts';
import { rules } from './rules.ts';
import { type Direction, type Effort, type Schema, same, tell, type Walk } from './walk.ts';

const deepest = 64;
/** Pairs of subschemas, and keys that are looked at, of two schemas and of all schemas of two exports. */
const mostPairs = 4_000;
const mostSteps = 40_000;
const mostStepsOfAll = 150_000;

export function newEffort(): Effort {
  return { left: mostStepsOfAll };
}

/** Tells what changed from one schema to the other, and what it means: callers must fit what is taken, and rely on what is given. */
export function compareSchemas(
  differences: Differences,
  direction: Direction,
  baseline: unknown,
  current: unknown,
  place: Place,
  whole: Effort = newEffort(),
): void {
  const identity = identities();
  const [was, is] = [identity(baseline), identity(current)];
  // References stay inside of a schema, so equal ones mean the same.
  if (was !== undefined && was === is) return;
  const walk: Walk = {
    differences,
    direction,
    roots: { baseline, current },
    refers: references(),
    identity,
    seen: new WeakMap(),
    pairs: 0,
    effort: { left: mostSteps },
    whole,
    compare: (before, after, at, depth) => compare(walk, before, after, at, depth),
  };
  compare(walk, baseline, current, place, 0);
}

/** False when there are no steps left. */
function spend({ effort, whole }: Walk, steps: number): boolean {
  effort.left -= steps;
  whole.left -= steps;
  return effort.left >= 0 && whole.left >= 0;
}

function compare(walk: Walk, baselinePart: unknown, currentPart: unknown, place: Place, depth: number): void {
  if (!spend(walk, 1)) return tooLarge(walk, place);
  // Equal texts that refer to parts which differ are compared there, once.
  if (same(walk, baselinePart, currentPart) && !walk.refers(baselinePart)) return;
  const baseline = resolved(walk, walk.roots.baseline, baselinePart);
  const current = resolved(walk, walk.roots.current, currentPart);
  if (baseline === current || (typeof baseline === 'boolean' && typeof current === 'boolean'))
    return compareBooleans(walk, baseline, current, place);
  const [before, after] = [asSchema(baseline), asSchema(current)];
  if (!before || !after)
    return tell(walk, 'changed', place, 'The schema changed to something that is no schema, or from it');
  if (wasSeen(walk, before, after)) return;
  if (depth > deepest || ++walk.pairs > mostPairs || !spend(walk, sizeOf(before) + sizeOf(after)))
    return tooLarge(walk, place);
  for (const rule of rules) rule(walk, before, after, place, depth);
}

/** What was not looked at may be anything. It is told once where nothing is left to look with. */
function tooLarge(walk: Walk, place: Place): void {
  const { effort, whole } = walk;
  const isOver = effort.left < 0 || whole.left < 0;
  if (isOver && effort.left === -Infinity) return;
  if (isOver) effort.left = -Infinity;
  tell(walk, 'changed', place, 'The schemas are too large to be compared here');
}

/** Of what the rules look at: keys, and what is in those that list names or schemas. */
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

function compareBooleans(walk: Walk, before: unknown, after: unknown, place: Place): void {
  if (before === after) return;
  tell(
    walk,
    after === false ? 'narrowed' : 'widened',
    place,
    after ? 'Any value fits now' : 'No value fits now',
  );
}

/** `true` is the schema that everything fits. */
function asSchema(value: unknown): Schema | undefined {
  if (value === true || value === undefined) return {};
  if (value === false) return { not: {} };
  return isObject(value) ? value : undefined;
}

/** Follows references inside of the document. */
function resolved(walk: Walk, root: unknown, schema: unknown): unknown {
  let part = schema;
  for (let steps = 0; steps < 16 && isObject(part) && typeof part['$ref'] === 'string'; steps++) {
    const target = pointed(root, part['$ref']);
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
