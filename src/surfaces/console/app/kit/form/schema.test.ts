import { expect, test } from 'vitest';
import { descriptionOf, levelsThatFit, limitsOf, type Schema, shapeOf } from './schema.ts';

function kindOf(schema: Schema, root: Schema = schema): string {
  return shapeOf(schema, root).kind;
}

test.each<[string, Schema]>([
  ['choice', { enum: ['a', 'b'] }],
  ['choice', { const: 3 }],
  ['text', { type: 'string' }],
  ['text', { type: ['string', 'null'] }],
  ['text', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['number', { type: 'integer' }],
  ['boolean', { type: 'boolean' }],
  ['list', { type: 'array', items: { type: 'number' } }],
  ['json', { type: 'array', items: { type: 'object', properties: { a: {} } } }],
  ['object', { properties: { a: { type: 'string' } } }],
  ['json', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  ['json', {}],
  ['json', { enum: [] }],
  ['json', { enum: Array.from({ length: 501 }, (_, at) => at) }],
  ['json', { const: 'x'.repeat(20_001) }],
  ['json', { $ref: `#${'/a'.repeat(100_000)}` }],
])('it is edited as %s: %j', (kind, schema) => {
  expect(kindOf(schema)).toBe(kind);
});

test('references are followed within the document, and not for ever', () => {
  const root = { $defs: { city: { type: 'string' }, loop: { $ref: '#/$defs/loop' } } };
  expect(kindOf({ $ref: '#/$defs/city' }, root)).toBe('text');
  expect(kindOf({ $ref: '#/$defs/loop' }, root)).toBe('json');
  expect(kindOf({ $ref: 'https://elsewhere.example/schema' }, root)).toBe('json');
});

test('what nests without end becomes JSON', () => {
  const root: Schema = { type: 'object', properties: {} };
  (root['properties'] as Schema)['self'] = root;
  const kinds: string[] = [];
  for (let depth = 0; depth < 6; depth++) kinds.push(shapeOf(root, root, depth).kind);
  expect(kinds).toEqual(['object', 'object', 'object', 'object', 'json', 'json']);
});

test('limits are said in words', () => {
  expect(limitsOf({ type: 'integer', minimum: 1, maximum: 10, default: 3 }, {})).toBe(
    'integer, at least 1, at most 10, default 3',
  );
  expect(limitsOf({ type: 'string', minLength: 1, maxLength: 9 }, {})).toBe(
    'string, at least 1 character, at most 9 characters',
  );
});

test('as many levels become fields as a page can hold', () => {
  const fields = (length: number, inner: Schema): Schema => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length }, (_, at) => [`field${at}`, inner])),
  });
  const text = { type: 'string' };
  const levelsOf = (schema: Schema): number => levelsThatFit(schema, schema);
  expect(levelsOf(fields(3, fields(3, fields(3, text))))).toBe(4);
  expect(levelsOf(fields(10, fields(9, fields(9, text))))).toBe(2);
  expect(levelsOf(fields(60, fields(60, fields(60, fields(60, text)))))).toBe(1);
  const self: Schema = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
  expect(levelsOf(self)).toBe(4);
});

test('of many fields the first are shown, and those that have to be filled in before all', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `field${at}`);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: ['field9999'],
  };
  expect(shapeOf(schema, schema)).toMatchObject({
    more: 9_940,
    fields: [
      { name: 'field9999', needed: true },
      { name: 'field0' },
      ...Array.from({ length: 58 }, () => ({})),
    ],
  });
});

test('what a schema says of itself is cut', () => {
  const long = 'x'.repeat(2_000_000);
  const schema = { type: long, format: long, pattern: long, default: [long], description: long };
  expect(limitsOf(schema, schema).length).toBeLessThan(500);
  expect(descriptionOf(schema, schema)?.length).toBeLessThan(1_100);
});
