import { maxDepth } from '../../platform/json/bounds.ts';
import { isObject } from '../../platform/json/is-object.ts';

/** The keyword with the number of schema values to visit when this part validates a value; see `ajv.ts`. */
export const stepsKeyword = 'x-steps';

/** Maximum number of subschemas. Each takes up to half a millisecond to compile. */
const maxSubschemas = 1_000;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const holdingOne = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const holdingMany = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const holdingNamed = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
/** Keywords copied unchanged. Keywords in none of these sets constrain nothing and are omitted. */
const plain = new Set([
  '$anchor',
  '$dynamicAnchor',
  'const',
  'dependentRequired',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'required',
  'type',
  'uniqueItems',
]);

export class UnusableSchema extends Error {}

interface Copying {
  /** Number of subschemas copied so far. */
  parts: number;
  /** The `$id` of the schema: a reference that starts with it is internal. */
  ownId: string | undefined;
  copies: Set<unknown>;
  references: string[];
}

/**
 * Copies only the keywords that constrain values, and adds the cost of each part. References must point to a copied
 * part; any other reference, internal or external, is refused.
 */
export function copySchema(schema: unknown): unknown {
  const ownId = isObject(schema) && typeof schema['$id'] === 'string' ? schema['$id'] : undefined;
  const copying: Copying = {
    parts: 0,
    ownId: ownId?.replace(/#$/, ''),
    copies: new Set(),
    references: [],
  };
  const copy = copyPart(schema, copying, 0);
  for (const reference of copying.references) assertInside(reference, copy, copying.copies);
  return copy;
}

function copyPart(schema: unknown, copying: Copying, depth: number): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw new UnusableSchema('a schema in it is neither an object nor true or false');
  if (depth > maxDepth) throw new UnusableSchema(`it is nested deeper than ${maxDepth} levels`);
  if (++copying.parts > maxSubschemas)
    throw new UnusableSchema(`it has more than ${maxSubschemas.toLocaleString('en')} parts`);
  if (depth > 0 && '$id' in schema) throw new UnusableSchema('a nested schema has its own $id');
  const entries: [string, unknown][] = [];
  let steps = 1;
  for (const [key, value] of Object.entries(schema)) {
    const copied = copyKeyword(key, value, copying, depth);
    if (copied === undefined) continue;
    entries.push([key, copied]);
    steps += plain.has(key) ? countValues(value) : widthOf(value);
  }
  entries.push([stepsKeyword, steps]);
  const copy = Object.fromEntries(entries);
  copying.copies.add(copy);
  return copy;
}

function copyKeyword(key: string, value: unknown, copying: Copying, depth: number): unknown {
  const below = (part: unknown): unknown => copyPart(part, copying, depth + 1);
  if (plain.has(key)) return value;
  if (key === '$ref' || key === '$dynamicRef') return referenceIn(value, copying);
  if (holdingOne.has(key)) return below(value);
  if (key === 'items') return Array.isArray(value) ? value.map(below) : below(value);
  if (holdingMany.has(key)) {
    if (!Array.isArray(value)) throw new UnusableSchema(`${key} is not a list`);
    return value.map(below);
  }
  if (!holdingNamed.has(key) && key !== 'dependencies') return undefined;
  if (!isObject(value)) throw new UnusableSchema(`${key} is not an object`);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      key === 'dependencies' && Array.isArray(part) ? part : below(part),
    ]),
  );
}

function referenceIn(value: unknown, { ownId, references }: Copying): string {
  if (typeof value !== 'string') throw new UnusableSchema('a reference in it is not a text');
  const inside = ownId && value.startsWith(ownId) ? value.slice(ownId.length) || '#' : value;
  if (!inside.startsWith('#')) throw new UnusableSchema('it refers to another schema');
  references.push(inside);
  return inside;
}

/** References by anchor are resolved at compilation: only copied parts keep their anchors. */
function assertInside(reference: string, root: unknown, copies: ReadonlySet<unknown>): void {
  if (!reference.startsWith('#/')) return;
  let at = root;
  for (const token of reference.slice(2).split('/')) {
    const key = decodeToken(token);
    const inner = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? at : undefined;
    at = (inner as Record<string, unknown> | undefined)?.[key];
  }
  if (typeof at !== 'boolean' && !copies.has(at))
    throw new UnusableSchema('it refers to something that is not a schema inside of it');
}

function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new UnusableSchema('a reference in it is malformed');
  }
}

function countValues(value: unknown): number {
  const values = [value];
  for (const item of values)
    if (typeof item === 'object' && item !== null) values.push(...Object.values(item));
  return values.length;
}

function widthOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
}
