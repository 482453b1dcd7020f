import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallEnd, compareResults, type ResultComparison } from './compare-results.ts';

const text = (value: unknown, more: object = {}): CallEnd => ({
  result: {
    content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
    ...more,
  },
});
const structured = (structuredContent: unknown): CallEnd => ({ result: { content: [], structuredContent } });
const error = (message: string, code = -32000): CallEnd => ({ error: { code, message } });

const ship = { type: 'object', properties: { at: { type: ['string', 'null'] } }, required: ['at'] };

type Case = [string, CallEnd, CallEnd, ResultComparison['outcome'], string[], unknown?];
test.each<Case>([
  ['nothing changed', text('a'), text('a'), 'same', []],
  ['keys in another order', text({ a: 1, b: 2 }), text('{"b": 2, "a": 1}'), 'same', []],
  [
    'only what is about the request',
    text('a', { _meta: { id: 1 } }),
    text('a', { _meta: { id: 2 } }),
    'same',
    [],
  ],
  ['another text', text('at 10:15'), text('at 10:16'), 'content', ['/content/0/text']],
  ['another value in JSON', text({ at: 1, n: 2 }), text({ at: 3, n: 2 }), 'content', ['/content/0/text/at']],
  [
    'more items',
    structured({ ships: [{ n: 1 }] }),
    structured({ ships: [{ n: 1 }, { n: 2 }] }),
    'content',
    ['/structuredContent/ships'],
  ],
  ['no items any more', structured([{ n: 1 }]), structured([]), 'content', ['/structuredContent']],
  ['items where there were none', structured([]), structured([{ n: 1 }]), 'content', ['/structuredContent']],
  [
    'a key of some items',
    structured([{ n: 1 }, { n: 1, m: 2 }]),
    structured([{ n: 1 }]),
    'content',
    ['/structuredContent'],
  ],
  [
    'a key is gone',
    structured([{ n: 1, m: 2 }]),
    structured([{ n: 1 }]),
    'schema',
    ['/structuredContent/0/m'],
  ],
  ['a key is new', text({ a: 1 }), text({ a: 1, 'b/c': 2 }), 'schema', ['/content/0/text/b~1c']],
  ['another type', structured({ n: 1 }), structured({ n: '1' }), 'schema', ['/structuredContent/n']],
  ['no JSON any more', text({ n: 1 }), text('n is 1'), 'schema', ['/content/0/text']],
  [
    'structured content is gone',
    structured({ n: 1 }),
    { result: { content: [] } },
    'schema',
    ['/structuredContent'],
  ],
  [
    'null, and nobody says it may be',
    structured({ at: 'x' }),
    structured({ at: null }),
    'schema',
    ['/structuredContent/at'],
  ],
  [
    'null, as declared',
    structured({ at: 'x' }),
    structured({ at: null }),
    'content',
    ['/structuredContent/at'],
    ship,
  ],
  [
    'no longer null, as declared',
    structured({ at: null }),
    structured({ at: 'x' }),
    'content',
    ['/structuredContent/at'],
    ship,
  ],
  [
    'what is not declared',
    structured({ at: 'x' }),
    structured({ at: 7 }),
    'schema',
    ['/structuredContent'],
    ship,
  ],
  [
    'what never was as declared',
    structured({ at: 7 }),
    structured({ at: 8 }),
    'content',
    ['/structuredContent/at'],
    ship,
  ],
  ['it says that it does not fail', text('a'), text('a', { isError: false }), 'same', []],
  ['it fails', text('a'), text('a', { isError: true }), 'error', []],
  ['it breaks the protocol', text('a'), error('no'), 'error', []],
  ['it fails no more', text('a', { isError: true }), text('a'), 'error', []],
  ['it still fails', text('a', { isError: true }), text('a', { isError: true }), 'same', []],
  [
    'it fails with other words',
    text({ a: 1 }, { isError: true }),
    text('b', { isError: true }),
    'content',
    ['/content/0/text'],
  ],
  ['the same error', error('no'), error('no'), 'same', []],
  ['another error', error('no'), error('no', -32602), 'content', ['']],
])('%s', (_, before, after, outcome, pointers, schema) => {
  expect(compareResults(before, after, schema)).toMatchObject({ outcome, pointers });
});

test('whatever came back is the same as itself, and of the same form with its items turned round', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const end of [text(value), structured(value)]) {
        expect(compareResults(end, structuredClone(end)).outcome).toBe('same');
      }
      const [list, turned] = [structured([value, 1]), structured([1, value])];
      expect(['same', 'content']).toContain(compareResults(list, turned).outcome);
    }),
  );
});

test('large and deep results take bounded time, and what is told of them is bounded', () => {
  const many = (value: string) => Array.from({ length: 50_000 }, (_, n) => ({ [`${value}${n}`]: value }));
  const wide = compareResults(structured(many('a')), structured(many('b')));
  expect(wide.outcome).toBe('schema');
  expect(wide.pointers).toHaveLength(20);
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  expect(compareResults(text(deep), text(`${deep} `)).outcome).toBe('content');
  const long = `[${'1,'.repeat(600_000)}1]`;
  expect(compareResults(text(long), text('[]')).outcome).toBe('content');
});
