import { z } from 'zod';
import { ErrorBody, type ErrorCode, statusOfCode } from '../../contract/errors.ts';
import { operationList } from '../../contract/index.ts';
import { areas, errorCodesOf, type Operation, paramNames } from '../../contract/operation.ts';

type Json = Record<string, unknown>;

const title = 'Drydock';
const description =
  'Operate, test and evaluate saved MCP servers. Every request carries `Authorization: Bearer sk_…`. Lists are `{items, nextCursor?}`; times are epoch milliseconds.';

/** The OpenAPI 3.1 document, derived from the contract and from nothing else. */
export function openApiDocument(serverUrl: string, version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of operationList) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describe(operation, schemas);
  }
  schemas['Error'] = schemaOf(ErrorBody, 'output', schemas, true);
  const used = new Set(operationList.map((operation) => operation.area));
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: Object.entries(areas)
      .filter(([name]) => used.has(name as keyof typeof areas))
      .map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `sk_…`.' } },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(
        Object.entries(errorResponses).map(([status, response]) => [
          response.name,
          errorResponse(Number(status), response.text),
        ]),
      ),
    },
  };
}

function describe(operation: Operation, schemas: Json): Json {
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation, schemas),
    ...headerParameters(operation),
  ];
  return {
    operationId: operation.id,
    tags: [operation.area],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    ...(operation.access === 'public' && { security: [] }),
    'x-drydock-access': operation.access,
    ...(operation.spends && { 'x-drydock-spends': true }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemaOf(operation.body, 'input', schemas),
            example: operation.example,
          },
        },
      },
    }),
    responses: {
      [operation.status]: {
        description: operation.status === 201 ? 'Created.' : operation.status === 202 ? 'Accepted.' : 'Done.',
        headers: { 'x-request-id': requestIdHeader },
        content: { 'application/json': { schema: schemaOf(operation.response, 'output', schemas) } },
      },
      ...Object.fromEntries(
        [...new Set(errorCodesOf(operation).map((code) => statusOfCode[code]))]
          .sort((a, b) => a - b)
          .map((status) => [status, { $ref: `#/components/responses/${errorResponses[status].name}` }]),
      ),
    },
  };
}

function pathParameters(operation: Operation): Json[] {
  return paramNames(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(operation: Operation, schemas: Json): Json[] {
  if (!operation.query) return [];
  const { properties = {}, required = [] } = schemaOf(operation.query, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description: text, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(text !== undefined && { description: text }),
    schema,
  }));
}

function headerParameters(operation: Operation): Json[] {
  if (!operation.idempotency) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'Repeating a request with the same key returns the first answer and does nothing again.',
      schema: { type: 'string', maxLength: 256 },
    },
  ];
}

/** Schemas with an id become components; the rest stay where they are used. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json, whole = false): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    // Clients must ignore fields they do not know, so answers are open and requests closed.
    override: ({ jsonSchema }) => {
      if (io === 'output') delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
    },
  }) as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs ?? {})) schemas[name] = relink(definition as Json);
  const id = schema.meta()?.id;
  if (id === undefined || whole) return relink(json);
  schemas[id] = relink(json);
  return { $ref: `#/components/schemas/${id}` };
}

function relink<T>(value: T): T {
  const text = JSON.stringify(value, (key, item: unknown) =>
    key === 'id' && typeof item === 'string' ? undefined : item,
  );
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
}

const requestIdHeader = { description: 'Names this request in the logs.', schema: { type: 'string' } };

const errorResponses: Record<(typeof statusOfCode)[ErrorCode], { name: string; text: string }> = {
  400: { name: 'ValidationError', text: 'The request is malformed; the message names the field.' },
  401: {
    name: 'Unauthorized',
    text: 'The key is missing, invalid, revoked or orphaned, or the server needs OAuth.',
  },
  403: { name: 'Forbidden', text: 'The key works but may not do this.' },
  404: { name: 'NotFound', text: 'There is no such thing, or the key may not see it.' },
  409: { name: 'Conflict', text: 'The current state does not allow it; the message says why.' },
  422: { name: 'FeatureNotSupported', text: 'The server or this deployment does not support it.' },
  429: { name: 'RateLimited', text: 'A limit is reached.' },
  500: { name: 'InternalError', text: 'Something failed on our side.' },
  502: { name: 'ServerUnreachable', text: 'The MCP server could not be reached.' },
  504: { name: 'Timeout', text: 'The MCP server did not answer in time.' },
};

function errorResponse(status: number, text: string): Json {
  const retryAfter = {
    description: 'Seconds until it lifts, when that is known.',
    schema: { type: 'integer' },
  };
  return {
    description: text,
    headers: { 'x-request-id': requestIdHeader, ...(status === 429 && { 'Retry-After': retryAfter }) },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}
