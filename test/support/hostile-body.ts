import fc from 'fast-check';
import type { Operation } from '../../src/contract/operation.ts';
import { type Field, fieldsOf, type Schema, sampleOf, schemaOf } from './body-fields.ts';
import {
  hostileBodies,
  hostileFragments,
  hostileTexts,
  hostileUrls,
  largeFragments,
  oversizedBodies,
  secretFragments,
} from './hostile.ts';

interface Edit {
  path: Field['path'];
  /** JSON text; undefined takes the field away. */
  fragment: string | undefined;
}

type Body = fc.Arbitrary<Buffer | undefined>;

/** Bodies for an operation, from the valid one to bytes that are no JSON at all. */
export function bodiesOf(operation: Operation): Body {
  const whole = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...hostileBodies) },
    { weight: 5, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(...oversizedBodies) },
  );
  if (operation.upload)
    return fc.oneof(
      { weight: 3, arbitrary: fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)) },
      { weight: 1, arbitrary: whole },
      {
        weight: operation.example === undefined ? 0 : 2,
        arbitrary: fc.constant(Buffer.from(JSON.stringify(operation.example ?? {}))),
      },
    );
  if (!operation.body)
    return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: whole });
  const edited = editedBodies(operation, schemaOf(operation.body));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(Buffer.from(JSON.stringify(operation.example))) },
    { weight: 8, arbitrary: edited },
    { weight: 2, arbitrary: fc.tuple(edited, fc.nat(), scars).map(([body, at, scar]) => scar(body, at)) },
    { weight: 1, arbitrary: whole },
  );
}

/** The example with some optional fields added and a few places made hostile. */
function editedBodies(operation: Operation, root: Schema): fc.Arbitrary<Buffer> {
  const fields = fieldsOf(root);
  const additions = fields
    .filter(({ path }) => path.length === 1)
    .map(
      ({ path, schema, secret }): Edit => ({
        path,
        fragment: JSON.stringify(sampleOf(root, schema, secret)),
      }),
    );
  const edit = fc.oneof(
    ...fields.map((field) => fc.record({ path: fc.constant(field.path), fragment: fragmentsOf(field) })),
    fc.record({ path: fc.constantFrom(...hostileTexts).map((key) => [key]), fragment: fc.constant('1') }),
  );
  return fc
    .tuple(
      fc.subarray(additions, { maxLength: Math.min(4, additions.length) }),
      fc.array(edit, { maxLength: 3 }),
    )
    .map(([added, edits]) => Buffer.from(apply(operation.example, [...added, ...edits])));
}

function fragmentsOf({ schema, secret }: Field): fc.Arbitrary<string | undefined> {
  const json = (value: unknown): string => JSON.stringify(value);
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...hostileFragments) },
    { weight: 4, arbitrary: fc.constantFrom(...edgesOf(schema).map(json)) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map(json) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(json) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...largeFragments) },
    ...(schema.format === 'uri' ? [{ weight: 2, arbitrary: fc.constantFrom(...hostileUrls.map(json)) }] : []),
    ...(secret ? [{ weight: 6, arbitrary: fc.constantFrom(...secretFragments) }] : []),
  );
}

/** Just inside and just outside of what the schema allows. */
function edgesOf({ maxLength = 200, maximum = 100, minimum = 1, maxItems = 10 }: Schema): unknown[] {
  return [
    'x'.repeat(maxLength),
    'x'.repeat(maxLength + 1),
    'ü'.repeat(maxLength),
    maximum,
    maximum + 1,
    minimum,
    minimum - 1,
    Array.from({ length: maxItems }, () => 'x'),
    Array.from({ length: maxItems + 1 }, () => 'x'),
  ];
}

function apply(example: unknown, edits: Edit[]): string {
  const body = structuredClone(example) as object;
  const fragments: string[] = [];
  for (const { path, fragment } of edits) {
    const last = path.at(-1) as string | number;
    const parent = path.slice(0, -1).reduce(containerAt(path), body);
    if (fragment === undefined) Reflect.deleteProperty(parent, last);
    else define(parent, last, `raw fragment ${fragments.push(fragment) - 1}`);
  }
  return JSON.stringify(body).replaceAll(
    /"raw fragment (\d+)"/g,
    (_, index: string) => fragments[Number(index)] ?? '',
  );
}

function containerAt(path: Field['path']): (parent: object, key: string | number, depth: number) => object {
  return (parent, key, depth) => {
    const present: unknown = Object.getOwnPropertyDescriptor(parent, key)?.value;
    if (typeof present === 'object' && present !== null) return present;
    return define(parent, key, typeof path[depth + 1] === 'number' ? [] : {});
  };
}

/** Like an assignment, except that `__proto__` is a key like any other. */
function define<T>(target: object, key: string | number, value: T): T {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
}

/** Damage to the text of a body at a place in it. */
const scars = fc.constantFrom(
  (body: Buffer, at: number) => body.subarray(0, at % body.length),
  (body: Buffer, at: number) => spliced(body, at, [0xff]),
  (body: Buffer, at: number) => spliced(body, at, [0x00]),
  (body: Buffer, at: number) => spliced(body, at, [...Buffer.from(',')]),
  (body: Buffer, at: number) => spliced(body, at, [...Buffer.from('\\')]),
  (body: Buffer, at: number) => spliced(body, at, [...Buffer.from('\u2028')]),
  (body: Buffer) => Buffer.concat([Buffer.from('\ufeff'), body]),
  (body: Buffer) => Buffer.concat([body, body]),
  (body: Buffer) => Buffer.concat([Buffer.from('['), body, Buffer.from(']')]),
  (body: Buffer) => Buffer.from(body.toString().replace(/^\{("[^"]*":)/, '{$1 1,$1')),
);

function spliced(body: Buffer, at: number, bytes: number[]): Buffer {
  const place = at % (body.length + 1);
  return Buffer.concat([body.subarray(0, place), Buffer.from(bytes), body.subarray(place)]);
}
