import { expect, test } from 'vitest';
import { scaled } from '../../../test/support/slowdown.ts';
import { schemaProblem, type Validity, validateJson } from './schema.ts';

/** Generous for a busy machine, but far too short for exponential time. */
const inTime = 10_000;

function timed(schema: unknown, value: unknown): Validity {
  const start = performance.now();
  const validity = validateJson(schema, value);
  expect(performance.now() - start).toBeLessThan(scaled(inTime));
  return validity;
}

const draft7 = 'http://json-schema.org/draft-07/schema#';

test.each<[unknown, unknown, boolean]>([
  [{ type: 'object', required: ['a'] }, { a: 1 }, true],
  [{ type: 'object', required: ['a'] }, {}, false],
  [{ required: ['toString'] }, {}, false],
  [{ properties: { a: { type: 'integer', minimum: 3 } }, additionalProperties: false }, { a: 3 }, true],
  [{ properties: { a: true }, additionalProperties: false }, { a: 3, b: 4 }, false],
  [{ patternProperties: { '^a': { type: 'string' }, '^b': { type: 'number' } } }, { a1: 'x', b1: 1 }, true],
  [
    { patternProperties: { '^a': { type: 'string' }, '^b': { type: 'number' } } },
    { a1: 'x', b1: 'x' },
    false,
  ],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a'], true],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 'b'], false],
  [{ $schema: draft7, items: [{ type: 'string' }], additionalItems: false }, ['a', 'b'], false],
  [{ $schema: draft7, definitions: { a: { const: 1 } }, items: { $ref: '#/definitions/a' } }, [1, 2], false],
  [
    { uniqueItems: true },
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    false,
  ],
  [{ uniqueItems: true }, [1, '1', true, null, [1]], true],
  [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1, b: 2 }, false],
  [{ $ref: '#/$defs/a%20b~1c', $defs: { 'a b/c': { type: 'string' } } }, 'x', true],
  [{ $ref: '#here', $defs: { a: { $anchor: 'here', type: 'string' } } }, 5, false],
  [
    { $id: 'https://a.b/c', items: { $ref: 'https://a.b/c#/$defs/d' }, $defs: { d: { const: 1 } } },
    [2],
    false,
  ],
  [
    { $dynamicAnchor: 'n', properties: { a: { $dynamicRef: '#n' }, v: { const: 1 } } },
    { a: { v: 2 } },
    false,
  ],
  [{ format: 'email', title: 5, 'x-thing': { $ref: 'nowhere' }, nullable: 'yes' }, 'no address', true],
  [{ pattern: '\\u0041$' }, 'xA', true],
  [true, 1, true],
  [false, 1, false],
])('%j and %j: %j', (schema, value, valid) => {
  expect(validateJson(schema, value)).toMatchObject({ valid });
});

test.each<[unknown, string]>([
  [{ $schema: 'https://json-schema.org/draft/2019-09/schema' }, '$schema'],
  [{ type: 'strong' }, 'not a valid'],
  [{ properties: [] }, 'properties'],
  [{ allOf: {} }, 'allOf'],
  ['text', 'neither an object'],
  [{ $ref: 'https://example.com/schema' }, 'another schema'],
  [{ $ref: '#/nowhere' }, 'not a schema inside'],
  [{ $ref: '#/const', const: { type: 'string' } }, 'not a schema inside'],
  [{ $ref: '#/enum/0', enum: [{ type: 'string' }] }, 'not a schema inside'],
  [{ $ref: '#/x-own', 'x-own': { type: 'string' } }, 'not a schema inside'],
  [{ $ref: '#/%zz' }, 'malformed'],
  [{ $ref: '#nowhere' }, 'cannot be compiled'],
  [{ $defs: { a: { $id: 'https://example.com/a' } } }, '$id'],
  [{ pattern: '(?<=a)b' }, 'lookbehind'],
  [{ pattern: '(' }, 'Unterminated group'],
  [
    { properties: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, {}])) },
    '1,000 parts',
  ],
  [{ $defs: { a: { description: 'x'.repeat(140_000) } } }, '128 KiB'],
  [nested(70), 'deeper than 64'],
  [nested(2_000), 'too deeply'],
  [{ allOf: [{ $ref: '#' }] }, 'too deep'],
  [{ items: { pattern: 'a{500}'.repeat(4) }, allOf: largePatterns(20) }, 'too many steps'],
])('%.60j cannot be used', (schema, why) => {
  const validity = timed(schema, [1, 'a', {}]);
  expect(validity).toMatchObject({ unusable: expect.stringContaining(why) });
});

function nested(depth: number): unknown {
  let schema: unknown = {};
  for (let at = 0; at < depth; at++) schema = { not: schema };
  return schema;
}

function largePatterns(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({ pattern: `x${at}[ab]{900}[cd]{900}` }));
}

test('a schema that takes exponential time to follow is given up', () => {
  let deep: unknown = {};
  for (let at = 0; at < 100; at++) deep = { a: deep };
  const follow = { allOf: [{ properties: { a: { $ref: '#/$defs/n' } } }, { not: {} }] };
  const schema = { $defs: { n: { anyOf: [follow, follow, { required: ['b'] }] } }, $ref: '#/$defs/n' };
  expect(timed(schema, deep)).toMatchObject({ unusable: expect.stringContaining('too many steps') });
});

test('large values against costly schemas are given up, and against plain ones are not', () => {
  const many = Array.from({ length: 90_000 }, (_, at) => ({ at }));
  const numbers = many.map(({ at }) => at);
  const ships = Array.from({ length: 30_000 }, (_, at) => ({ name: `ship ${at}`, crew: at }));
  const ship = {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 100 }, crew: { type: 'integer' } },
    required: ['name', 'crew'],
    additionalProperties: false,
  };
  expect(timed({ items: ship }, ships)).toEqual({ valid: true });
  expect(timed({ uniqueItems: true }, numbers)).toEqual({ valid: true });
  const costly = [
    { items: { enum: [...Array.from({ length: 3000 }, (_, at) => ({ no: at })), ...many.slice(0, 10)] } },
    { items: { anyOf: [{ pattern: '([ab]|c)*x[ab]{300}[ef]' }, {}] } },
    { allOf: Array.from({ length: 300 }, () => ({ items: { type: ['object', 'string', 'number'] } })) },
    { uniqueItems: true },
  ];
  const texts = many.map(({ at }) => `${'ab'.repeat(50)}${at}x${'ab'.repeat(200)}d`);
  for (const schema of costly) timed(schema, many);
  expect(timed(costly[1], texts)).toHaveProperty('unusable');
  expect(timed(costly[2], many)).toHaveProperty('unusable');
});

test('a value that is too deep is not walked', () => {
  let deep: unknown = 1;
  for (let at = 0; at < 100_000; at++) deep = [deep];
  expect(timed({ type: 'array' }, deep)).toMatchObject({ unusable: expect.stringContaining('deeply') });
});

test('two schemas with the same words and other patterns are told apart', () => {
  expect(validateJson({ pattern: '^a' }, 'a')).toEqual({ valid: true });
  expect(validateJson({ pattern: '^b' }, 'a')).toMatchObject({ valid: false });
  expect(validateJson({ allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ac')).toMatchObject({
    valid: false,
  });
});

test('an author is told what is wrong with a schema', () => {
  expect(schemaProblem({ type: 'object' })).toBeUndefined();
  expect(schemaProblem({ description: 'x'.repeat(17_000) })).toBe('Must be at most 16 KiB of JSON');
  expect(schemaProblem({ type: 'strong' })).toBe('Cannot be used: it is not a valid JSON Schema');
});
