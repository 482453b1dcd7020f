import { operationList } from '../../contract/index.ts';
import { type Operation } from '../../contract/operation.ts';
import { Components } from '../openapi/components.ts';
import type { Schema } from '../openapi/types.ts';

export interface ObjectSchema extends Schema {
  type: 'object';
  properties: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

const home = '#/components/schemas/';

/** Descriptions of fields that exist for compatibility; they are omitted for agents. */
const ignored = /^Ignored;/;

/** Built once for all operations, because they share definitions. */
let made: Map<string, ObjectSchema> | undefined;

/** The input of an operation as one object: path and query parameters, and `body` or `upload`. */
export function inputSchemaOf(operation: Operation): ObjectSchema {
  made ??= inputSchemas();
  return made.get(operation.id) as ObjectSchema;
}

function inputSchemas(): Map<string, ObjectSchema> {
  const components = new Components();
  const drafts = operationList.map((operation) => [operation.id, draftOf(operation, components)] as const);
  const { part, schemas } = components.finish(drafts);
  return new Map(part.map(([id, draft]) => [id, withDefinitions(draft, schemas)]));
}

function draftOf(operation: Operation, components: Components): ObjectSchema {
  const { params, query, body, upload } = operation;
  const properties: Record<string, Schema> = {};
  const required: string[] = [...params];
  for (const name of params) properties[name] = { type: 'string' };
  if (query) {
    const asked = components.add(query, 'input');
    Object.assign(properties, asked.properties);
    required.push(...(asked.required ?? []));
  }
  if (body) {
    properties['body'] = components.add(body, 'input');
    if (!body.safeParse({}).success) required.push('body');
  }
  if (upload) {
    properties['upload'] = uploadSchema(upload.description);
    required.push('upload');
  }
  if (operation.idempotency)
    properties['idempotencyKey'] = {
      type: 'string',
      maxLength: 256,
      description: 'A repeated request with the same key returns the first answer.',
    };
  if (operation.answers === 'events')
    properties['maxSeconds'] = {
      type: 'integer',
      minimum: 1,
      maximum: 600,
      description: 'How long to follow the stream (default 45).',
    };
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function uploadSchema(description: string): Schema {
  return {
    type: 'object',
    description: `${description} Give text or base64.`,
    properties: {
      text: { type: 'string' },
      base64: { type: 'string' },
      contentType: { type: 'string', description: 'Media type of the bytes.' },
    },
    additionalProperties: false,
  };
}

/** Adds the referenced definitions to the schema. */
function withDefinitions(draft: ObjectSchema, schemas: Record<string, Schema>): ObjectSchema {
  const found = new Map<string, Schema>();
  const local = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(local);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (name === 'properties') return [name, local(withoutIgnored(inner as Record<string, Schema>))];
      if (name !== '$ref' || typeof inner !== 'string' || !inner.startsWith(home))
        return [name, local(inner)];
      const definition = inner.slice(home.length);
      if (!found.has(definition)) {
        // Set before the recursion, because a definition may reference itself.
        found.set(definition, {});
        found.set(definition, local(schemas[definition]) as Schema);
      }
      return [name, `#/$defs/${definition}`];
    });
    return Object.fromEntries(entries);
  };
  const schema = local(draft) as ObjectSchema;
  return found.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(found) };
}

function withoutIgnored(properties: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).filter(([, { description }]) => !ignored.test(description ?? '')),
  );
}
