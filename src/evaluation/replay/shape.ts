import { isObject } from '../../platform/json/is-object.ts';

type Type = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** The types and keys of a value. All items of a list share one shape. */
export interface Shape {
  types: Set<Type>;
  objects: number;
  /** Keys of the objects at this place, with the number of objects that have each. */
  keys: Map<string, { shape: Shape; times: number }>;
  items: Shape | undefined;
}

function typeOf(value: unknown): Type {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as Type;
}

function emptyShape(): Shape {
  return { types: new Set(), objects: 0, keys: new Map(), items: undefined };
}

export function shapeOf(value: unknown, into: Shape = emptyShape()): Shape {
  into.types.add(typeOf(value));
  if (Array.isArray(value))
    for (const item of value) {
      into.items ??= emptyShape();
      shapeOf(item, into.items);
    }
  else if (isObject(value)) {
    into.objects++;
    for (const key of Object.keys(value)) {
      const known = into.keys.get(key) ?? { shape: emptyShape(), times: 0 };
      known.times++;
      into.keys.set(key, known);
      shapeOf(value[key], known.shape);
    }
  }
  return into;
}

/**
 * Reports where a value differs from a shape: a new type, a missing key that every object had, or a new key. With
 * `nullable`, a change to or from null is no difference.
 */
export function findShapeDifferences(
  value: unknown,
  shape: Shape,
  nullable: boolean,
  found: PointerList,
  at = '',
): void {
  if (found.isFull()) return;
  const type = typeOf(value);
  if (!shape.types.has(type)) {
    const mayBe = nullable && (type === 'null' || (shape.types.has('null') && shape.types.size === 1));
    return mayBe ? undefined : found.add(at);
  }
  if (Array.isArray(value)) {
    const { items } = shape;
    if (items)
      for (const [nth, item] of value.entries())
        findShapeDifferences(item, items, nullable, found, `${at}/${nth}`);
  } else if (isObject(value)) unlikeKeys(value, shape, nullable, found, at);
}

function unlikeKeys(
  value: Record<string, unknown>,
  { keys, objects }: Shape,
  nullable: boolean,
  found: PointerList,
  at: string,
): void {
  for (const [key, { times }] of keys)
    if (times === objects && !Object.hasOwn(value, key)) found.add(`${at}/${token(key)}`);
  for (const key of Object.keys(value)) {
    const known = keys.get(key);
    const there = `${at}/${token(key)}`;
    if (known) findShapeDifferences(value[key], known.shape, nullable, found, there);
    else found.add(there);
  }
}

/** Reports where two values differ. Lists of different length differ as a whole. */
export function findDifferences(a: unknown, b: unknown, found: PointerList, at = ''): void {
  if (found.isFull() || a === b) return;
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    for (const [nth, item] of a.entries()) findDifferences(item, b[nth], found, `${at}/${nth}`);
  else if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      findDifferences(a[key], b[key], found, `${at}/${token(key)}`);
  } else found.add(at);
}

function token(key: string): string {
  return key.slice(0, maxKeyLength).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

const maxKeyLength = 200;
const maxPointerLength = 1_000;
const maxPointers = 20;

/** Collects JSON pointers, up to a maximum. */
export class PointerList {
  readonly pointers: string[] = [];

  isFull(): boolean {
    return this.pointers.length >= maxPointers;
  }

  add(pointer: string): void {
    if (!this.isFull()) this.pointers.push(pointer.slice(0, maxPointerLength));
  }
}
