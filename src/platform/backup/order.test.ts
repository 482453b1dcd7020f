import { expect, test } from 'vitest';
import { forward, referredFirst } from './order.ts';

const refer = (text: string) => {
  const [from, to] = text.split('>') as [string, string];
  return { from, to };
};

test.each([
  { tables: 'c b a', references: '', order: 'a b c' },
  { tables: 'a b c', references: 'a>b b>c', order: 'c b a' },
  { tables: 'a b c d', references: 'a>c b>c a>d', order: 'c b d a' },
  { tables: 'a b', references: 'a>a a>b', order: 'b a' },
  { tables: 'a b', references: 'a>elsewhere', order: 'a b' },
  { tables: 'a b c', references: 'a>b b>a c>a', order: 'a b c' },
])('$tables with $references are loaded as $order', ({ tables, references, order }) => {
  const known = references.split(' ').filter(Boolean).map(refer);
  expect(referredFirst(tables.split(' '), known).join(' ')).toBe(order);
});

test('only a reference to a later table points forward', () => {
  expect(forward(['a', 'b'], ['a>b', 'b>a', 'a>a', 'a>elsewhere', 'elsewhere>a'].map(refer))).toEqual([
    refer('a>b'),
  ]);
});
