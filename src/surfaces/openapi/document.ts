import type { z } from 'zod';
import { operationList } from '../../contract/index.ts';
import { areas, errorCodesOf, type Operation, paramNames, streamedAnswer } from '../../contract/operation.ts';
import { Components } from './components.ts';
import { ErrorResponses, requestIdHeader } from './errors.ts';
import type { OpenApiDocument, OperationObject, Parameter, ResponseObject, Schema } from './types.ts';

const description =
  'Operate, test and evaluate saved MCP servers. Send `Authorization: Bearer sk_…` with every request. Lists are `{items, nextCursor?}`; times are epoch milliseconds.';

const outcome: Record<Operation['status'], string> = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' };

/** The OpenAPI 3.1 document, derived from the contract. */
export function openApiDocument(
  serverUrl: string,
  version: string,
  declared: readonly Operation[] = operationList,
): OpenApiDocument {
  const components = new Components();
  const errors = new ErrorResponses(components);
  const draft: OpenApiDocument['paths'] = {};
  for (const operation of declared.toSorted(inReadingOrder)) {
    const path = (draft[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describe(operation, components, errors);
  }
  const { part: paths, schemas } = components.finish(draft);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Drydock',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: Object.entries(areas)
      .filter(([name]) => declared.some((operation) => operation.area === name))
      .map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `sk_…`.' } },
      schemas,
      responses: errors.responses,
    },
  };
}

const areaOrder = Object.keys(areas);
const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Operation['method'][];

/** By area, then by path in alphabetical order, then by method. */
function inReadingOrder(a: Operation, b: Operation): number {
  return (
    areaOrder.indexOf(a.area) - areaOrder.indexOf(b.area) ||
    (a.path === b.path ? 0 : a.path < b.path ? -1 : 1) ||
    methodOrder.indexOf(a.method) - methodOrder.indexOf(b.method)
  );
}

function describe(operation: Operation, components: Components, errors: ErrorResponses): OperationObject {
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation, components),
    ...headerParameters(operation, components),
  ];
  return {
    operationId: operation.id,
    tags: [operation.area],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    ...(operation.deprecated !== undefined && { deprecated: true }),
    ...(operation.access === 'public' && { security: [] }),
    'x-drydock-access': operation.access,
    ...(operation.spends && { 'x-drydock-spends': true }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, components),
    responses: {
      [operation.status]: success(operation, components),
      ...errors.add(errorCodesOf(operation)),
      ...otherStatuses(operation, components),
    },
  };
}

function requestBody(
  { body, upload, example }: Operation,
  components: Components,
): Pick<OperationObject, 'requestBody'> {
  if (upload)
    return {
      requestBody: {
        required: true,
        description: upload.description,
        content: { '*/*': { schema: binary } },
      },
    };
  if (!body) return {};
  return {
    requestBody: {
      // A missing body counts as an empty object.
      required: !body.safeParse({}).success,
      content: { 'application/json': { schema: components.add(body, 'input'), example } },
    },
  };
}

const binary: Schema = { type: 'string', format: 'binary' };

function success(operation: Operation, components: Components): ResponseObject {
  const { status, response } = operation;
  const repeated = Object.entries(operation.answerHeaders ?? {}).map(([header, field]) => [
    header,
    { description: `The field \`${field}\` of the body.`, schema: { type: 'string' } },
  ]);
  const headers = { 'x-request-id': requestIdHeader, ...Object.fromEntries(repeated) };
  const streamed = streamedAnswer(response);
  if (streamed?.kind === 'file')
    return {
      description: streamed.description,
      headers,
      content: { [streamed.mediaType]: { schema: binary } },
    };
  if (streamed)
    return {
      description: `${streamed.description} Each event carries one as JSON in its \`data\`.`,
      headers,
      content: { 'text/event-stream': { schema: components.add(streamed.event, 'output') } },
    };
  const schema = components.add(response as z.ZodType, 'output');
  return { description: outcome[status], headers, content: { 'application/json': { schema } } };
}

function otherStatuses(operation: Operation, components: Components): Record<string, ResponseObject> {
  const others = Object.entries(operation.otherStatuses ?? {});
  return Object.fromEntries(
    others.map(([status, meaning]) => [status, { ...success(operation, components), description: meaning }]),
  );
}

function pathParameters(operation: Operation): Parameter[] {
  return paramNames(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    ...(name.endsWith('Id') && { description: `ID of the ${wordsOf(name.slice(0, -2))}.` }),
    schema: { type: 'string' },
  }));
}

/** `chatSession` is `chat session`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function queryParameters({ query }: Operation, components: Components): Parameter[] {
  return query ? parametersIn('query', query, components) : [];
}

function parametersIn(place: 'query' | 'header', declared: z.ZodObject, components: Components): Parameter[] {
  const { properties = {}, required = [] }: Schema = components.add(declared, 'input');
  return Object.entries(properties).map(([name, { description: text, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(text !== undefined && { description: text }),
    schema,
  }));
}

function headerParameters(operation: Operation, components: Components): Parameter[] {
  const resumes = operation.answers === 'events';
  return [
    ...(operation.headers ? parametersIn('header', operation.headers, components) : []),
    ...(operation.idempotency ? [idempotencyKey] : []),
    ...(resumes ? [lastEventId] : []),
  ];
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeating a request with the same key returns the first response and has no further effect.',
  schema: { type: 'string', maxLength: 256 },
};

const lastEventId: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'ID of the last received event. The stream continues after it.',
  schema: { type: 'string' },
};
