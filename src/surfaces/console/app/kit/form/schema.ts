/** A JSON Schema as a server sends it: nothing of it can be relied upon. */
export type Schema = Record<string, unknown>;

/** What a value is edited with. */
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

/** Deeper or longer than this is edited as JSON. */
const deepest = 4;
const mostFields = 60;
const mostRefs = 20;

export function shapeOf(given: Schema, root: Schema, depth = 0): Shape {
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
      return listOf(schema, root, depth);
    case 'object':
      return objectOf(schema, depth);
    default:
      return { kind: 'json' };
  }
}

/** Only what can be told apart in a list of small fields. */
function listOf(schema: Schema, root: Schema, depth: number): Shape {
  const item = asSchema(schema['items']);
  if (!item || depth >= deepest) return { kind: 'json' };
  const { kind } = shapeOf(item, root, depth + 1);
  return ['text', 'number', 'choice', 'boolean'].includes(kind) ? { kind: 'list', item } : { kind: 'json' };
}

function objectOf(schema: Schema, depth: number): Shape {
  const fields = fieldsOf(schema);
  if (depth >= deepest || (fields.length === 0 && depth > 0)) return { kind: 'json' };
  return {
    kind: 'object',
    fields: fields.slice(0, mostFields),
    more: Math.max(0, fields.length - mostFields),
  };
}

function fieldsOf(schema: Schema): Field[] {
  const properties = asSchema(schema['properties']) ?? {};
  const needed = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    schema: asSchema(inner) ?? {},
    needed: needed.includes(name),
  }));
}

/** Follows references within the document, and takes the one form that is not null. */
function resolved(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let followed = 0; followed < mostRefs; followed++) {
    const next = referenced(current, root) ?? onlyForm(current);
    if (!next) return current;
    current = next;
  }
  return {};
}

export function referenced({ $ref }: Schema, root: Schema): Schema | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
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
  const [first, ...others] = forms
    .map(asSchema)
    .filter((form) => form !== undefined && form['type'] !== 'null');
  return others.length === 0 ? first : undefined;
}

function choicesOf(schema: Schema): unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) && schema['enum'].length <= 500 ? schema['enum'] : undefined;
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

/** The type and its limits in words, as the model sees them too. */
export function limitsOf(given: Schema, root: Schema): string {
  const schema = resolved(given, root);
  const type = Array.isArray(schema['type']) ? schema['type'].join(' or ') : schema['type'];
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
  const fallback = 'default' in schema ? [`${JSON.stringify(schema['default'])} when left out`] : [];
  return [...(typeof type === 'string' ? [type] : []), ...limits, ...fallback].join(', ');
}

export function descriptionOf(given: Schema, root: Schema): string | undefined {
  const own = given['description'] ?? resolved(given, root)['description'];
  return typeof own === 'string' ? own : undefined;
}
