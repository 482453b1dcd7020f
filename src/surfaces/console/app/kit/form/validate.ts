import { asSchema, referenced, type Schema } from './schema.ts';

/** Validates a value against its schema. Returns errors by field path, joined by dots. */
export function validate(schema: Schema, value: unknown, root: Schema = schema): Map<string, string> {
  const found = new Map<string, string>();
  validateValue(schema, value, { root, found, path: '', depth: 0 });
  return found;
}

interface Context {
  root: Schema;
  found: Map<string, string>;
  path: string;
  depth: number;
}

const deepest = 30;

function validateValue(given: Schema, value: unknown, at: Context): void {
  const schema = follow(given, at.root);
  if (at.depth > deepest) return;
  const forms = formsOf(schema);
  if (forms) return validateVariants(forms, value, at);
  const problem = ownProblem(schema, value);
  if (problem !== undefined) {
    if (!at.found.has(at.path)) at.found.set(at.path, problem);
    return;
  }
  if (Array.isArray(value)) {
    const item = asSchema(schema['items']);
    if (item) value.forEach((one, place) => validateValue(item, one, under(at, String(place))));
  } else if (asSchema(value)) validateFields(schema, value as Schema, at);
}

function validateFields(schema: Schema, value: Schema, at: Context): void {
  const properties = asSchema(schema['properties']) ?? {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  for (const name of required) if (value[name] === undefined) at.found.set(under(at, name).path, 'Required');
  for (const [name, inner] of Object.entries(value)) {
    const own = asSchema(properties[name]);
    const rest = schema['additionalProperties'];
    if (own && inner !== undefined) validateValue(own, inner, under(at, name));
    else if (!own && rest === false) at.found.set(under(at, name).path, 'Unknown field');
    else if (!own && asSchema(rest)) validateValue(rest as Schema, inner, under(at, name));
  }
}

/** Validates against the variant selected by the discriminator, otherwise against any variant that fits. */
function validateVariants(forms: Schema[], value: unknown, at: Context): void {
  const whole = forms.map((form) => follow(form, at.root));
  const meant = whole.filter((form) => matchesDiscriminator(form, value));
  const [only, ...others] = meant.length > 0 ? meant : whole;
  if (only && others.length === 0) return validateValue(only, value, at);
  const tries = (meant.length > 0 ? meant : whole).map((form) => {
    const found = new Map<string, string>();
    validateValue(form, value, { ...at, found, depth: at.depth + 1 });
    return found;
  });
  if (tries.some((found) => found.size === 0)) return;
  const words = meant.length === 0 && asSchema(value) ? discriminatorProblem(whole) : undefined;
  if (words) at.found.set(under(at, words.name).path, words.problem);
  else for (const [path, problem] of tries[0] ?? []) at.found.set(path, problem);
}

function matchesDiscriminator(form: Schema, value: unknown): boolean {
  if (form['type'] === 'null' || value === null) return form['type'] === 'null' && value === null;
  const fields = constants(form);
  const given = asSchema(value);
  return given ? fields.every(([name, one]) => given[name] === one) : true;
}

function constants(form: Schema): [name: string, value: unknown][] {
  return Object.entries(asSchema(form['properties']) ?? {}).flatMap(([name, inner]) => {
    const own = asSchema(inner);
    const needed = Array.isArray(form['required']) && form['required'].includes(name);
    return own && needed && 'const' in own ? [[name, own['const']] as [string, unknown]] : [];
  });
}

function discriminatorProblem(forms: Schema[]): { name: string; problem: string } | undefined {
  const [name] = constants(forms[0] ?? {})[0] ?? [];
  if (name === undefined) return undefined;
  const values = forms.flatMap((form) => constants(form).filter(([own]) => own === name));
  const listed = values.slice(0, 8).map(([, value]) => JSON.stringify(value));
  return { name, problem: `Must be ${listed.join(' or ')}${values.length > 8 ? ' or another kind' : ''}` };
}

function ownProblem(schema: Schema, value: unknown): string | undefined {
  if ('const' in schema && value !== schema['const']) return `Must be ${JSON.stringify(schema['const'])}`;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value))
    return `Must be ${schema['enum'].map((one) => JSON.stringify(one)).join(' or ')}`;
  const { type } = schema;
  if (typeof type === 'string' && !isOf(type, value))
    return `Must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
  if (typeof value === 'number') return bounds(schema, value, 'minimum', 'maximum', '');
  if (Array.isArray(value)) return bounds(schema, value.length, 'minItems', 'maxItems', 'item');
  if (typeof value !== 'string') return undefined;
  return (
    bounds(schema, value.length, 'minLength', 'maxLength', 'character') ??
    (matches(schema['pattern'], value) ? undefined : `Must match ${String(schema['pattern'])}`)
  );
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return asSchema(value) !== undefined;
  return type === 'null' ? value === null : typeof value === type;
}

function bounds(schema: Schema, size: number, least: string, most: string, unit: string): string | undefined {
  const [low, high] = [schema[least], schema[most]];
  const words = (which: string, limit: number): string =>
    unit === ''
      ? `Must be at ${which} ${limit.toLocaleString('en')}`
      : `Must have at ${which} ${limit.toLocaleString('en')} ${unit}${limit === 1 ? '' : 's'}`;
  if (typeof low === 'number' && size < low) return words('least', low);
  return typeof high === 'number' && size > high ? words('most', high) : undefined;
}

/** Patterns that this browser cannot compile match everything; the service validates them. */
function matches(pattern: unknown, value: string): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function follow(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let followed = 0; followed < deepest; followed++) {
    const next = referenced(current, root);
    if (!next) return current;
    current = next;
  }
  return {};
}

function formsOf({ anyOf, oneOf }: Schema): Schema[] | undefined {
  const forms: unknown = anyOf ?? oneOf;
  return Array.isArray(forms) ? forms.map(asSchema).filter((form) => form !== undefined) : undefined;
}

function under(at: Context, name: string): Context {
  return { ...at, path: at.path === '' ? name : `${at.path}.${name}`, depth: at.depth + 1 };
}
