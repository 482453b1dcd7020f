import { expect, test } from 'vitest';
import { limitsOf, type Schema, shapeOf } from './schema.ts';

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
    'integer, at least 1, at most 10, 3 when left out',
  );
  expect(limitsOf({ type: 'string', minLength: 1, maxLength: 9 }, {})).toBe(
    'string, at least 1 character, at most 9 characters',
  );
});
