import fc from 'fast-check';
import { type Operation, paramNames } from '../../src/contract/operation.ts';
import { fieldsOf, schemaOf } from './body-fields.ts';
import { isOfConsole } from './every-operation.ts';
import { hostileBodies } from './hostile.ts';
import { bodiesOf } from './hostile-body.ts';
import {
  type Header,
  hostileAuthorizations,
  hostileContentTypes,
  hostileCookies,
  hostileHeaders,
  hostileMethods,
} from './hostile-headers.ts';
import { strayPaths, targetsOf } from './hostile-target.ts';
import { printable, type Shot } from './shot.ts';

const header =
  (name: string) =>
  (value: string | undefined): Header[] =>
    value === undefined ? [] : [[name, value]];

const authorizations = fc
  .oneof(
    { weight: 9, arbitrary: fc.constant<string | undefined>('Bearer {key}') },
    { weight: 1, arbitrary: fc.constantFrom(...hostileAuthorizations) },
  )
  .map(header('authorization'));

const contentTypes = fc
  .oneof(
    { weight: 12, arbitrary: fc.constant<string | undefined>('application/json') },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileContentTypes) },
  )
  .map(header('content-type'));

const extras = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Header[]>([]) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...hostileHeaders), { minLength: 1, maxLength: 3 }) },
);

const headers = fc.tuple(authorizations, contentTypes, extras).map((parts) => parts.flat());

/** Headers that identify a request of a console page and its session. */
const ofPages = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constant<Header[]>([
      ['x-drydock-console', '1'],
      ['cookie', 'drydock_session={session}'],
    ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('1', '', 'true'),
        fc.constantFrom(...hostileCookies),
        fc.constantFrom(...hostileAuthorizations),
      )
      .map(([mark, cookie, authorization]): Header[] => [
        ['x-drydock-console', mark],
        ['cookie', cookie],
        ...header('authorization')(authorization),
      ]),
  },
);

const headersOfPages = fc.tuple(ofPages, contentTypes, extras).map((parts) => parts.flat());

/** Requests made from the contract: valid ones with some of their parts replaced by something hostile. */
export function hostileRequests(
  operations: readonly Operation[],
  cursors: readonly string[],
): fc.Arbitrary<Shot> {
  return fc.oneof(
    ...operations.map((operation) => ({
      weight: weightOf(operation),
      arbitrary: shotsAt(operation, cursors),
    })),
    { weight: 6, arbitrary: strays },
  );
}

/** More inputs get more shots. Deletions get few, because each success costs a new target. */
function weightOf({ method, path, query, body }: Operation): number {
  if (method === 'DELETE') return 4;
  const queries = query ? Object.keys(query.shape).length : 0;
  const fields = body ? fieldsOf(schemaOf(body)).length : 0;
  return 6 + 2 * paramNames(path).length + 2 * queries + fields;
}

function shotsAt(operation: Operation, cursors: readonly string[]): fc.Arbitrary<Shot> {
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant<string>(operation.method) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileMethods) },
  );
  return fc
    .record({
      method,
      target: targetsOf(operation, cursors),
      headers: isOfConsole(operation) ? headersOfPages : headers,
      body: bodiesOf(operation),
      chunked: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
    })
    .map(({ method, target, headers, body, chunked }) =>
      printable({
        operation,
        aimed: target.plain && method === operation.method,
        method,
        target: target.path,
        headers,
        body,
        chunked: chunked && body !== undefined,
      }),
    );
}

const strays: fc.Arbitrary<Shot> = fc
  .record({
    method: fc.constantFrom(...hostileMethods),
    target: fc.constantFrom(...strayPaths),
    headers,
    body: fc.oneof(fc.constant(undefined), fc.constantFrom(...hostileBodies)),
  })
  .map((shot) => printable({ ...shot, operation: undefined, aimed: false, chunked: false }));
