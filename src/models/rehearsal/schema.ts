/** A parameter of a tool, from a JSON Schema that may contain anything. */
export interface Parameter {
  name: string;
  description: string;
  required: boolean;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  format?: string;
  choices?: (string | number | boolean)[];
  items?: Parameter;
  fields?: Parameter[];
}

/** Numbers of parameters and choices, levels, and characters that are read. */
const limits = { parameters: 40, choices: 100, depth: 3, text: 400 };

type Schema = Record<string, unknown>;

/** The parameters of a tool, required ones first. */
export function parametersOf(schema: unknown): Parameter[] {
  const root = asObject(schema);
  return root ? fieldsOf(root, root, 0) : [];
}

function fieldsOf(schema: Schema, root: Schema, depth: number): Parameter[] {
  const properties = asObject(schema['properties']);
  if (!properties || depth >= limits.depth) return [];
  const listed = Array.isArray(schema['required']) ? schema['required'].slice(0, 1000) : [];
  const required = new Set<unknown>(listed);
  const names = firstKeys(properties);
  return [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))]
    .slice(0, limits.parameters)
    .map((name) => parameterOf(name, properties[name], required.has(name), root, depth));
}

/** Reads a limited number of keys, since a schema may have a million. */
function firstKeys(properties: Schema): string[] {
  const names: string[] = [];
  for (const name in properties) {
    if (names.length === 10 * limits.parameters) break;
    if (Object.hasOwn(properties, name)) names.push(name);
  }
  return names;
}

function parameterOf(
  name: string,
  given: unknown,
  required: boolean,
  root: Schema,
  depth: number,
): Parameter {
  const schema = settled(asObject(given) ?? {}, root);
  const type = typeOf(schema);
  const choices = choicesOf(schema);
  const format = schema['format'];
  // A schema may be recursive.
  const inside = depth < limits.depth;
  const description = [schema['title'], schema['description']]
    .filter((text) => typeof text === 'string')
    .join(' ');
  return {
    name,
    description: description.slice(0, limits.text),
    required,
    type,
    ...(typeof format === 'string' && { format }),
    ...(choices && { choices }),
    ...(type === 'array' && inside && { items: parameterOf(name, schema['items'], true, root, depth + 1) }),
    ...(type === 'object' && { fields: fieldsOf(schema, root, depth + 1) }),
  };
}

/** Follows references within the schema, and picks the first alternative that is not null. */
function settled(schema: Schema, root: Schema): Schema {
  let now = schema;
  for (let hops = 0; hops < 5; hops++) {
    const next =
      referred(now, root) ?? firstOf(now['anyOf']) ?? firstOf(now['oneOf']) ?? firstOf(now['allOf']);
    if (!next) return now;
    const { $ref: _ref, anyOf: _any, oneOf: _one, allOf: _all, ...own } = now;
    now = { ...own, ...next };
  }
  return now;
}

function referred({ $ref }: Schema, root: Schema): Schema | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const key of $ref.slice(2).split('/').slice(0, 10)) {
    const inside = asObject(at);
    at = inside && Object.hasOwn(inside, key) ? inside[key] : undefined;
  }
  return asObject(at);
}

function firstOf(list: unknown): Schema | undefined {
  if (!Array.isArray(list)) return undefined;
  const options = list.slice(0, 10).map(asObject);
  return options.find((option) => option && option['type'] !== 'null') ?? undefined;
}

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

function typeOf(schema: Schema): Parameter['type'] {
  const given: unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const known = types.find((type) => given.includes(type));
  if (known) return known;
  if (asObject(schema['properties'])) return 'object';
  return schema['items'] === undefined ? 'string' : 'array';
}

function choicesOf(schema: Schema): Parameter['choices'] {
  const given = Array.isArray(schema['enum']) ? schema['enum'].slice(0, limits.choices) : [schema['const']];
  const usable = given.filter((one): one is string | number | boolean =>
    typeof one === 'string' ? one.length <= limits.text : typeof one === 'number' || typeof one === 'boolean',
  );
  return usable.length > 0 ? usable : undefined;
}

function asObject(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}
