import type { Schema } from '../openapi/types.ts';

/** Text, code, or the name of a type that has its own table. */
export type Word = string | { code: string } | { type: string };

/** A schema without its null: `type: [string, null]` and `anyOf: [X, null]` are both a nullable X. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const rest = schema.type.filter((type) => type !== 'null');
    const values = schema.enum && { enum: schema.enum.filter((value) => value !== null) };
    return {
      schema: { ...schema, ...values, type: rest.length === 1 ? (rest[0] as string) : rest },
      nullable: true,
    };
  }
  const rest = schema.anyOf?.filter((option) => option.type !== 'null');
  if (!rest || rest.length === schema.anyOf?.length) return { schema, nullable: false };
  const { anyOf: _, ...outer } = schema;
  return { schema: rest.length === 1 ? { ...rest[0], ...outer } : { ...outer, anyOf: rest }, nullable: true };
}

export function refName(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

/** An object whose keys are data. */
export function isMap(schema: Schema): boolean {
  return schema.type === 'object' && !schema.properties;
}

export function valueOfMap({ additionalProperties: values }: Schema): Schema {
  return typeof values === 'object' ? values : {};
}

/** The type of a value in a few words. */
export function typeText(given: Schema): Word[] {
  const { schema, nullable } = withoutNull(given);
  return nullable ? [...plainTypeText(schema), ' or null'] : plainTypeText(schema);
}

function plainTypeText(schema: Schema): Word[] {
  const ref = refName(schema);
  if (ref !== undefined) return [{ type: ref }];
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return options.length > 3 ? ['one of several'] : joined(options.map(typeText), ' or ');
  if (schema.allOf) return joined(schema.allOf.map(typeText), ' and ');
  if (schema.prefixItems) return ['[', ...joined(schema.prefixItems.map(typeText), ', '), ']'];
  if (schema.type === 'array') return ['array of ', ...typeText(schema.items ?? {})];
  if (isMap(schema)) return ['map of ', ...typeText(valueOfMap(schema))];
  if (schema.type !== undefined) return [[schema.type].flat().join(' or ')];
  const value = schema.const ?? schema.enum?.[0];
  return [value === undefined ? 'any' : typeof value];
}

/** The limits and the default of a value, one phrase each. */
export function constraintText(given: Schema): Word[][] {
  const { schema } = withoutNull(given);
  const of = (part: Schema | undefined, lead: string): Word[][] =>
    part ? ownConstraints(withoutNull(part).schema).map((words) => [lead, ...words]) : [];
  return [
    ...ownConstraints(schema),
    ...of(schema.items, 'each '),
    ...of(schema.propertyNames, 'names '),
    ...(isMap(schema) ? of(valueOfMap(schema), 'values ') : []),
    ...(schema.default === undefined ? [] : [['default ', code(schema.default)]]),
  ];
}

function ownConstraints(schema: Schema): Word[][] {
  const { format, pattern } = schema;
  const phrases: (Word[] | string | undefined)[] = [
    schema.const === undefined ? undefined : ['always ', code(schema.const)],
    schema.enum && [
      'one of ',
      ...joined(
        schema.enum.map((value) => [code(value)]),
        ', ',
      ),
    ],
    format && (formats[format] ?? format),
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? undefined : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? undefined : `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf === undefined ? undefined : `a multiple of ${schema.multipleOf}`,
    range(schema.minItems, schema.maxItems, 'item'),
    schema.uniqueItems ? 'no item twice' : undefined,
    range(schema.minProperties, schema.maxProperties, 'field'),
    // The pattern of a format is long and says less than its name.
    pattern === undefined || format ? undefined : ['matching ', { code: pattern }],
  ];
  return phrases.flatMap((phrase) => (phrase ? [[phrase].flat()] : []));
}

const formats: Record<string, string> = { uri: 'a URL', 'date-time': 'an ISO 8601 time', uuid: 'a UUID' };

function range(from: number | undefined, to: number | undefined, unit?: string): string | undefined {
  const counted = (count: number): string => {
    const digits = count.toLocaleString('en');
    return unit === undefined ? digits : `${digits} ${unit}${count === 1 ? '' : 's'}`;
  };
  if (from === undefined) return to === undefined ? undefined : `at most ${counted(to)}`;
  if (to === undefined) return `at least ${counted(from)}`;
  return from === to ? `exactly ${counted(to)}` : `${from.toLocaleString('en')} to ${counted(to)}`;
}

function code(value: unknown): Word {
  return { code: typeof value === 'string' ? value : JSON.stringify(value) };
}

function joined(parts: readonly Word[][], between: string): Word[] {
  return parts.flatMap((part, i) => (i === 0 ? part : [between, ...part]));
}
