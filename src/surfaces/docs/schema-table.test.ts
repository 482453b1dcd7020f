import { describe, expect, test } from 'vitest';
import { constraintText, typeText, type Word } from '../common/schema-labels.ts';
import type { Schema } from '../openapi/types.ts';
import { html } from './html.ts';
import { SchemaTables } from './schema-table.ts';
import { sketch } from './sketch.ts';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});
const spell = (words: readonly Word[]): string =>
  words.map((word) => (typeof word === 'string' ? word : Object.values(word)[0])).join('');

test.each<[string, Schema]>([
  ['string', { type: 'string' }],
  ['string or null', { type: ['string', 'null'] }],
  ['integer or null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
  ['array of Thing', { type: 'array', items: ref('Thing') }],
  ['map of boolean', { type: 'object', additionalProperties: { type: 'boolean' } }],
  ['map of any', { type: 'object', additionalProperties: {} }],
  [
    'string or array of string',
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  ],
  ['[string, number]', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }],
  ['any', {}],
])('a type reads as %s', (words, schema) => {
  expect(spell(typeText(schema))).toBe(words);
});

test.each<[string, Schema]>([
  ['1 to 200 characters', { type: 'string', minLength: 1, maxLength: 200 }],
  ['exactly 1 item', { type: 'array', minItems: 1, maxItems: 1 }],
  ['at least 0', { type: 'number', minimum: 0 }],
  ['one of a, b', { type: ['string', 'null'], enum: ['a', 'b', null] }],
  ['always true', { type: 'boolean', const: true }],
  ['each at most 5 characters', { type: 'array', items: { type: 'string', maxLength: 5 } }],
  ['matching ^`<', { type: 'string', pattern: '^`<' }],
  ['a URL', { type: 'string', format: 'uri', pattern: 'long' }],
  ['1 to 9, default 5', { type: 'integer', minimum: 1, maximum: 9, default: 5 }],
])('a limit reads as %s', (words, schema) => {
  expect(constraintText(schema).map(spell).join(', ')).toBe(words);
});

describe('a table', () => {
  test('unfolds what is nested, through references, lists and null', () => {
    const tables = new SchemaTables({ Item: object({ deep: { type: 'string' } }) });
    const list = { anyOf: [{ type: 'array', items: ref('Item') }, { type: 'null' }] };
    const { text } = tables.body(object({ list }), 'answer');
    expect(text).toContain('<summary>Each item: 1 field</summary>');
    expect(text).toContain('<code>deep</code>');
    expect([...tables.linked]).toEqual(['Item']);
  });

  test('marks what a request needs and what an answer may lack', () => {
    const tables = new SchemaTables({});
    const schema = object({ a: {}, b: {} }, ['a']);
    expect(tables.body(schema, 'request').text).toMatch(
      /<code>a<\/code> <em class="required">[^]*<code>b<\/code><\/dt>/,
    );
    expect(tables.body(schema, 'answer').text).toMatch(
      /<code>a<\/code><\/dt>[^]*<code>b<\/code> <em class="optional">/,
    );
  });

  test('tells the forms of a union apart by their constants', () => {
    const form = (kind: string) => object({ kind: { type: 'string', const: kind } }, ['kind']);
    const { text } = new SchemaTables({}).body(
      object({ check: { oneOf: [form('x'), form('y')] } }),
      'request',
    );
    expect(text).toContain('<summary><code>kind</code> is <code>x</code></summary>');
    expect(text).toContain('<summary>2 forms</summary>');
  });

  test('ends where a type holds itself', () => {
    const schemas = { Node: object({ left: ref('Node'), all: { type: 'array', items: ref('Node') } }) };
    const { text } = new SchemaTables(schemas).body(ref('Node'), 'answer');
    expect(text).toContain('<a href="#type-Node">Node</a>');
    expect(html`${sketch(ref('Node'), schemas)}`.text).toContain('{ … }');
  });

  test('leaves a large type to its own table', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`field${i}`, { type: 'string' }]),
    );
    const tables = new SchemaTables({ Large: object(fields) });
    const { text } = tables.body(object({ large: ref('Large') }), 'answer');
    expect(text).toContain('<a href="#type-Large">Large</a>');
    expect(text).not.toContain('field99');
  });
});
