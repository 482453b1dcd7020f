import { z } from 'zod';
import { marker } from './hostile.ts';

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

export interface Field {
  path: (string | number)[];
  schema: Schema;
  /** Whether answers must never contain the value. */
  secret: boolean;
}

/** A name that is valid as a header, a variable and a plain key. */
const anyKey = 'X_Key';
const deepest = 6;

/** The input side of a zod schema as JSON Schema. */
export function schemaOf(type: z.ZodType): Schema {
  return z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema;
}

/** Every place in a body where a value can stand, found by walking its schema. */
export function fieldsOf(root: Schema): Field[] {
  const found: Field[] = [];
  const visit = (given: Schema, path: Field['path'], secret: boolean): void => {
    if (path.length > deepest) return;
    const schema = resolve(root, given);
    if (path.length > 0) found.push({ path, schema, secret });
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      visit(property, [...path, name], secret || isSecret(name, resolve(root, property)));
    if (typeof schema.additionalProperties === 'object')
      visit(schema.additionalProperties, [...path, anyKey], secret);
    if (schema.items) visit(schema.items, [...path, 0], secret);
    for (const option of optionsOf(schema)) visit(option, path, secret);
  };
  visit(root, [], false);
  return found;
}

/** A value the schema most likely accepts. */
export function sampleOf(root: Schema, given: Schema, secret = false, depth = 0): unknown {
  const schema = resolve(root, given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [option] = optionsOf(schema);
  if (option) return sampleOf(root, option, secret, depth);
  switch (schema.type) {
    case 'string':
      return secret ? marker : schema.format === 'uri' ? 'https://sample.example.com/mcp' : 'sample';
    case 'number':
    case 'integer':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return schema.items && depth < deepest ? [sampleOf(root, schema.items, secret, depth + 1)] : [];
    case 'object':
      return sampleObject(root, schema, secret, depth + 1);
    default:
      return 'anything';
  }
}

function sampleObject(root: Schema, schema: Schema, secret: boolean, depth: number): Record<string, unknown> {
  const properties = (schema.required ?? []).flatMap((name) => {
    const property = schema.properties?.[name];
    return property ? [[name, sampleOf(root, property, secret, depth)] as const] : [];
  });
  const extra = schema.additionalProperties;
  if (typeof extra === 'object' && depth < deepest)
    properties.push([anyKey, sampleOf(root, extra, secret, depth)]);
  return Object.fromEntries(properties);
}

function resolve(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return schema;
  return (schema.$ref === '#' ? root : root.$defs?.[name]) ?? {};
}

function optionsOf(schema: Schema): Schema[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
}

function isSecret(name: string, schema: Schema): boolean {
  if (schema.type === 'boolean') return false;
  return (
    /never (?:returned|shown)/i.test(schema.description ?? '') ||
    /^(?:clientSecret|password|apiKey|headers|env)$/.test(name)
  );
}
