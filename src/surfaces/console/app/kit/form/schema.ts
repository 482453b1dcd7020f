import { briefJson, jsonWithin } from '../json.ts';
import { cut } from '../text.ts';

/** JSON Schema from a server. Untrusted, so every field is checked. */
export type Schema = Record<string, unknown>;

export type Shape =
  | { kind: 'choice'; values: unknown[] }
  | { kind: 'text'; long: boolean }
  | { kind: 'number'; integer: boolean }
  | { kind: 'boolean' }
  | { kind: 'list'; item: Schema }
  | { kind: 'object'; fields: Field[]; more: number }
  | { kind: 'json' };

export interface Field {
  name: string;
  schema: Schema;
  needed: boolean;
}

/** Limits of the form; anything beyond them is edited as JSON. */
export const deepest = 4;
const maxFields = 60;
const maxFieldsInAll = 200;
const maxChoices = 500;
export const maxChoiceCharacters = 20_000;
const maxRefs = 20;
const maxForms = 20;
const maxRefLength = 500;

/** Objects and lists at depth `levels` or deeper are edited as JSON. */
export function shapeOf(given: Schema, root: Schema, depth = 0, levels = deepest): Shape {
  const schema = resolved(given, root);
  const values = choicesOf(schema);
  if (values) return { kind: 'choice', values };
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text', long: Number(schema['maxLength']) > 300 || schema['format'] === 'textarea' };
    case 'number':
    case 'integer':
      return { kind: 'number', integer: typeOf(schema) === 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return listOf(schema, root, depth, levels);
    case 'object':
      return objectOf(schema, depth, levels);
    default:
      return { kind: 'json' };
  }
}

/** Only lists of scalars are edited as fields. */
function listOf(schema: Schema, root: Schema, depth: number, levels: number): Shape {
  const item = asSchema(schema['items']);
  if (!item || depth >= levels) return { kind: 'json' };
  const { kind } = shapeOf(item, root, depth + 1, levels);
  return ['text', 'number', 'choice', 'boolean'].includes(kind) ? { kind: 'list', item } : { kind: 'json' };
}

function objectOf(schema: Schema, depth: number, levels: number): Shape {
  if (depth >= levels) return { kind: 'json' };
  const { fields, more } = fieldsOf(schema);
  return fields.length === 0 && depth > 0 ? { kind: 'json' } : { kind: 'object', fields, more };
}

interface Fields {
  fields: Field[];
  /** Number of omitted fields. */
  more: number;
}

/** Cached, because forms read it on every render and large schemas have thousands of fields. */
const known = new WeakMap<Schema, Fields>();

function fieldsOf(schema: Schema): Fields {
  let found = known.get(schema);
  if (!found) known.set(schema, (found = readFields(schema)));
  return found;
}

function readFields(schema: Schema): Fields {
  const properties = asSchema(schema['properties']) ?? {};
  const names = Object.keys(properties);
  const needed = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  // Required fields come first if the list is truncated.
  const shown =
    names.length <= maxFields
      ? names
      : [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
  return {
    fields: shown.slice(0, maxFields).map((name) => ({
      name,
      schema: asSchema(properties[name]) ?? {},
      needed: needed.has(name),
    })),
    more: Math.max(0, names.length - maxFields),
  };
}

/** How many levels of objects fit on the page as fields. */
export function levelsThatFit(schema: Schema, root: Schema): number {
  let levels = deepest;
  while (levels > 1 && countFields(schema, root, 0, levels, maxFieldsInAll) > maxFieldsInAll) levels--;
  return levels;
}

/** Stops counting just above `most`. */
function countFields(schema: Schema, root: Schema, depth: number, levels: number, most: number): number {
  const shape = shapeOf(schema, root, depth, levels);
  if (shape.kind !== 'object') return 1;
  let found = 1;
  for (const field of shape.fields) {
    if (found > most) break;
    found += countFields(field.schema, root, depth + 1, levels, most - found);
  }
  return found;
}

/** Follows references within the document and unwraps nullable types. */
function resolved(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let followed = 0; followed < maxRefs; followed++) {
    const next = referenced(current, root) ?? onlyForm(current);
    if (!next) return current;
    current = next;
  }
  return {};
}

export function referenced({ $ref }: Schema, root: Schema): Schema | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
  if ($ref.length > maxRefLength) return {};
  let place: unknown = root;
  for (const part of $ref.slice(1).split('/').filter(Boolean)) place = asSchema(place)?.[decodePointer(part)];
  return asSchema(place) ?? {};
}

function decodePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function onlyForm({ anyOf, oneOf }: Schema): Schema | undefined {
  const forms: unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  if (forms.length > maxForms) return undefined;
  const [first, ...others] = forms
    .map(asSchema)
    .filter((form) => form !== undefined && form['type'] !== 'null');
  return others.length === 0 ? first : undefined;
}

function choicesOf(schema: Schema): unknown[] | undefined {
  const values: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  if (!Array.isArray(values) || values.length === 0 || values.length > maxChoices) return undefined;
  return jsonWithin(values, maxChoiceCharacters).whole ? values : undefined;
}

function typeOf({ type, properties }: Schema): string | undefined {
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== 'null') as unknown[];
    return types.length === 1 ? String(types[0]) : undefined;
  }
  return typeof type === 'string' ? type : properties === undefined ? undefined : 'object';
}

export function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}

/** The type and its constraints as text. */
export function limitsOf(given: Schema, root: Schema): string {
  const schema = resolved(given, root);
  const type = Array.isArray(schema['type']) ? schema['type'].slice(0, 8).join(' or ') : schema['type'];
  const known: [name: string, before: string, behind?: string][] = [
    ['format', ''],
    ['minimum', 'at least '],
    ['exclusiveMinimum', 'more than '],
    ['maximum', 'at most '],
    ['exclusiveMaximum', 'less than '],
    ['minLength', 'at least ', ' character'],
    ['maxLength', 'at most ', ' character'],
    ['minItems', 'at least ', ' item'],
    ['maxItems', 'at most ', ' item'],
    ['pattern', 'matches '],
  ];
  const limits = known.flatMap(([name, before, behind = '']) =>
    ['string', 'number'].includes(typeof schema[name])
      ? [
          `${before}${String(schema[name]).slice(0, 80)}${behind && schema[name] !== 1 ? `${behind}s` : behind}`,
        ]
      : [],
  );
  const fallback = 'default' in schema ? [`default ${briefJson(schema['default'], 80)}`] : [];
  return [...(typeof type === 'string' ? [cut(type, 80)] : []), ...limits, ...fallback].join(', ');
}

export function descriptionOf(given: Schema, root: Schema): string | undefined {
  const own = given['description'] ?? resolved(given, root)['description'];
  return typeof own === 'string' ? cut(own, 1_000) : undefined;
}
