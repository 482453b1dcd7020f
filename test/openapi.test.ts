import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorBody, statusOfCode } from '../src/contract/errors.ts';
import { operationList } from '../src/contract/index.ts';
import { errorCodesOf, type Operation, paramNames, streamedAnswer } from '../src/contract/operation.ts';
import type { OpenApiDocument, OperationObject, ResponseObject } from '../src/surfaces/openapi/types.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let answer: Answer;
let source: string;
let document: OpenApiDocument;

beforeAll(async () => {
  service = await startTestService();
  answer = await service.get('/openapi.json', { key: null });
  source = answer.text;
  document = JSON.parse(source) as OpenApiDocument;
});
afterAll(() => dispose(service));

test('the document is served to anyone', () => {
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

/** The strict ruleset as it comes: its warnings are errors. */
async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}

test('the linter has nothing to say about the served document', async () => {
  expect(await lint(source)).toEqual([]);
});

test('the linter notices a broken reference, an unused component and an example that does not fit', async () => {
  const broken = structuredClone(document);
  broken.components.schemas['Unused'] = { type: 'string' };
  for (const { requestBody, responses } of everyOperation(broken)) {
    const json = requestBody?.content['application/json'];
    if (json) json.example = 5;
    responses['400'] = { $ref: '#/nowhere' };
  }
  const problems = (await lint(JSON.stringify(broken))).join('\n');
  expect(problems).toContain('no-unused-components');
  expect(problems).toContain('no-invalid-media-type-examples');
  expect(problems).toContain('no-unresolved-refs');
});

describe.each(operationList.map((operation) => [operation.id, operation] as const))('%s', (_, declared) => {
  test('is in the document as it is declared', () => {
    const found = find(declared);
    expect(found).toMatchObject({
      operationId: declared.id,
      tags: [declared.area],
      summary: declared.summary,
      'x-drydock-access': declared.access,
    });
    expect(found.security).toEqual(declared.access === 'public' ? [] : undefined);
    expect(found['x-drydock-spends'] ?? false).toBe(declared.spends ?? false);
    expect(found.requestBody !== undefined).toBe((declared.body ?? declared.upload) !== undefined);
    const named = (place: string) =>
      (found.parameters ?? []).filter((parameter) => parameter.in === place).map(({ name }) => name);
    expect(named('path')).toEqual(paramNames(declared.path));
    expect(named('query')).toEqual(Object.keys(declared.query?.shape ?? {}));
    expect(named('header')).toEqual([
      ...Object.keys(declared.headers?.shape ?? {}),
      ...(declared.idempotency ? ['Idempotency-Key'] : []),
      ...(streamedAnswer(declared.response)?.kind === 'events' ? ['Last-Event-ID'] : []),
    ]);
  });

  test('answers in the document what it can answer', () => {
    const { responses } = find(declared);
    const codes = errorCodesOf(declared);
    const others = Object.keys(declared.otherStatuses ?? {}).map(Number);
    const statuses = new Set([declared.status, ...others, ...codes.map((code) => statusOfCode[code])]);
    expect(Object.keys(responses).map(Number)).toEqual([...statuses].sort((a, b) => a - b));
    const shown = Object.entries(responses).flatMap(([status, response]) =>
      Object.values(resolved(response).content['application/json']?.examples ?? {}).map(({ value }) => {
        const { code } = ErrorBody.parse(value);
        expect(statusOfCode[code]).toBe(Number(status));
        return code;
      }),
    );
    expect(shown.sort()).toEqual([...codes].sort());
  });
});

test('the document has no operation that is not declared, and none twice', () => {
  const ids = everyOperation(document).map(({ operationId }) => operationId);
  expect(ids.sort()).toEqual(operationList.map(({ id }) => id).sort());
});

test.each(operationList.filter(({ body }) => body).map((operation) => [operation.id, operation] as const))(
  'the example of %s is a request the service takes',
  (_, declared) => {
    const content = find(declared).requestBody?.content['application/json'];
    const { success, error } = declared.body?.safeParse(content?.example) ?? {};
    expect({ success, error }).toEqual({ success: true, error: undefined });
  },
);

test('artifacts may be of any type, in and out', () => {
  const place = '/projects/{projectId}/eval-ingest/artifacts';
  expect(document.paths[place]?.['post']?.requestBody?.content).toHaveProperty(['*/*']);
  expect(document.paths[`${place}/{storageId}`]?.['get']?.responses['200']).toHaveProperty([
    'content',
    '*/*',
  ]);
});

test('every reference leads somewhere', () => {
  const refs = [...source.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
  expect(refs.length).toBeGreaterThan(0);
  expect(refs.filter((ref) => lookUp(ref) === undefined)).toEqual([]);
});

function find({ path, method }: Operation): OperationObject {
  const found = document.paths[path]?.[method.toLowerCase()];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
}

function resolved(response: OperationObject['responses'][string]): ResponseObject {
  return '$ref' in response ? (lookUp(response.$ref) as ResponseObject) : response;
}

function lookUp(ref: string): unknown {
  expect(ref).toMatch(/^#\//);
  return ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
}

function everyOperation({ paths }: OpenApiDocument): OperationObject[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}
