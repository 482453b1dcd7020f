import { type Lookups, paramOfField } from '../../common/lookups.ts';
import { refName, withoutNull } from '../../common/schema-labels.ts';
import type { OpenApiDocument, OperationObject, Schema } from '../../openapi/types.ts';
import { argumentName, kebab } from './names.ts';

/** How the text of a flag becomes a value. `list` and `map` are repeatable. */
export type FlagKind = 'text' | 'number' | 'boolean' | 'list' | 'map' | 'json';

/** One flag of a command: a field of the query, of the body, or a header. */
export interface Flag {
  /** Without the two dashes. */
  flag: string;
  field: string;
  place: 'query' | 'body' | 'header';
  kind: FlagKind;
  says: string;
  choices?: string[];
  required?: true;
  /** The path parameter whose IDs the flag takes, so that a name is accepted too. */
  names?: string;
}

/** Flags of every command; a field of the same name is renamed. */
const commonFlags = [
  'project',
  'organization',
  'service',
  'profile',
  'data',
  'json',
  'jq',
  'all',
  'output',
  'file',
  'content-type',
  'idempotency-key',
  'yes',
  'help',
  'version',
];

/** Fields that common flags or the client set. */
const notAsked = new Set([
  'projectId',
  'organizationId',
  'Idempotency-Key',
  'idempotencyKey',
  'Last-Event-ID',
]);

export function flagsOf(
  operation: OperationObject,
  { components: { schemas } }: OpenApiDocument,
  lookups: Lookups,
): Flag[] {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'path');
  const fields = [
    ...parameters.map(({ in: place, name, schema, description, required }) => ({
      place: place as 'query' | 'header',
      field: name,
      schema: { ...schema, ...(description !== undefined && { description }) },
      required,
    })),
    ...bodyFields(operation.requestBody?.content['application/json']?.schema, schemas),
  ];
  const flags = fields
    .filter(({ field }) => !notAsked.has(field))
    .map(({ place, field, schema, required }) => {
      const known = resolve(schema, schemas);
      const names = paramOfField(field, lookups);
      const kind = kindOf(known, schemas);
      const choices = choicesOf(known, schemas);
      return {
        flag: '',
        field,
        place,
        kind,
        says: shortText(schema.description ?? known.description ?? ''),
        ...(choices && { choices }),
        ...(required && { required: true as const }),
        ...(names !== undefined && { names }),
      };
    });
  return withFlagNames(flags);
}

/** Drops body fields that the query also has, and prefixes names that collide with a common flag. */
function withFlagNames(flags: Flag[]): Flag[] {
  const taken = new Set(commonFlags);
  const inQuery = new Set(flags.filter(({ place }) => place === 'query').map(({ field }) => field));
  return flags
    .filter(({ place, field }) => place === 'query' || !inQuery.has(field))
    .map((flag) => {
      const [plain, exact] = [argumentNameOf(flag), kebab(flag.field)];
      const free = [plain, exact, `${flag.place}-${exact}`].find((name) => !taken.has(name)) as string;
      taken.add(free);
      return { ...flag, flag: free };
    });
}

/** `--suite` for `suiteId` when a name is accepted; `--ci` for `x-mcpjam-ci`. */
function argumentNameOf({ field, names, place }: Flag): string {
  if (place === 'header') return kebab(field).replace(/^x-(mcpjam|drydock)-/, '');
  return names === undefined ? kebab(field) : argumentName(field);
}

interface BodyField {
  place: 'body';
  field: string;
  schema: Schema;
  required: boolean;
}

/** The fields of every variant of the body. */
function bodyFields(given: Schema | undefined, schemas: Record<string, Schema>): BodyField[] {
  if (!given) return [];
  const schema = resolve(given, schemas);
  const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const fields = new Map<string, BodyField>();
  for (const [field, inner] of Object.entries(schema.properties ?? {}))
    fields.set(field, {
      place: 'body',
      field,
      schema: inner,
      required: schema.required?.includes(field) ?? false,
    });
  for (const form of forms ?? [])
    for (const found of bodyFields(form, schemas))
      if (!fields.has(found.field))
        fields.set(found.field, {
          ...found,
          required: schema.allOf !== undefined && found.required,
        });
  return [...fields.values()];
}

function resolve(given: Schema, schemas: Record<string, Schema>): Schema {
  const { schema } = withoutNull(given);
  const name = refName(schema);
  const known = name === undefined ? undefined : schemas[name];
  return known ? resolve({ ...known, ...withoutRef(schema) }, schemas) : schema;
}

function withoutRef({ $ref: _, ...rest }: Schema): Schema {
  return rest;
}

function kindOf(schema: Schema, schemas: Record<string, Schema>): FlagKind {
  if (schema.enum?.join() === 'true,false') return 'boolean';
  if (schema.enum ?? schema.const)
    return typeof (schema.const ?? schema.enum?.[0]) === 'string' ? 'text' : 'json';
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return kindOf(resolve(schema.items ?? {}, schemas), schemas) === 'text' ? 'list' : 'json';
    case 'object':
      return isTextMap(schema, schemas) ? 'map' : 'json';
    default:
      return kindOfForms(schema, schemas);
  }
}

function isTextMap({ properties, additionalProperties }: Schema, schemas: Record<string, Schema>): boolean {
  return (
    !properties &&
    typeof additionalProperties === 'object' &&
    kindOf(resolve(additionalProperties, schemas), schemas) === 'text'
  );
}

/** The kind that all variants share, otherwise JSON. */
function kindOfForms({ anyOf, oneOf }: Schema, schemas: Record<string, Schema>): FlagKind {
  const kinds = new Set((anyOf ?? oneOf ?? []).map((form) => kindOf(resolve(form, schemas), schemas)));
  const [first] = kinds;
  return kinds.size === 1 && first !== undefined ? first : 'json';
}

function choicesOf(schema: Schema, schemas: Record<string, Schema>): string[] | undefined {
  const values =
    schema.enum ?? (schema.type === 'array' ? resolve(schema.items ?? {}, schemas).enum : undefined);
  return values?.every((value) => typeof value === 'string') ? values : undefined;
}

/** The first sentence, with the second one if it states the default or when the value is required. */
function shortText(text: string): string {
  const [first = '', second = ''] = text.split(/(?<=\.) /);
  const kept = /^(?:Default|Required)\b/.test(second) ? `${first} ${second}` : first;
  return kept.replace(/\.$/, '');
}
