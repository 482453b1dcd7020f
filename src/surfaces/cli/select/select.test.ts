import { expect, test } from 'vitest';
import { select } from './select.ts';

const answer = {
  items: [
    { id: 'a', name: 'Ann', 'odd key': 1, n: 2, tags: ['x', 'y'] },
    { id: 'b', name: null, n: -3, tags: [] },
  ],
  nextCursor: 'c',
};

/** The answers of jq 1.7 to the same expressions. */
test.each<[string, unknown[]]>([
  ['.', [answer]],
  ['.nextCursor', ['c']],
  ['.items[].id', ['a', 'b']],
  ['.items[0].name', ['Ann']],
  ['.items[-1].id', ['b']],
  ['.items[5].id', [null]],
  ['.items | length', [2]],
  [
    '.items[] | {id, who: .name}',
    [
      { id: 'a', who: 'Ann' },
      { id: 'b', who: null },
    ],
  ],
  [
    '.items[0] | {id, tag: .tags[]}',
    [
      { id: 'a', tag: 'x' },
      { id: 'a', tag: 'y' },
    ],
  ],
  ['[.items[].n]', [[2, -3]]],
  ['.items[] | select(.n > 0) | .id', ['a']],
  ['.items[] | select(.name == null or .id == "a") | .id', ['a', 'b']],
  ['.items[] | select(.n < 0 and .name != "Ann").id', ['b']],
  ['.items[0]."odd key", .items[0]["odd key"]', [1, 1]],
  ['.items[0] | keys', [['id', 'n', 'name', 'odd key', 'tags']]],
  ['.nextCursor[]?', []],
  ['.missing.deeper', [null]],
  ['(.items[0].n, "text", true)', [2, 'text', true]],
  ['.items[1].n | length', [3]],
])('%s', (expression, expected) => {
  expect(select(expression, answer)).toEqual(expected);
});

test.each([
  '.items[',
  'items',
  '.items[] |',
  '{id',
  '.a ..b',
  'select(.a',
  '$x',
  '.nextCursor[]',
  '.items.name',
  '('.repeat(200),
])('%s is refused in words', (expression) => {
  expect(() => select(expression, answer)).toThrow(/^--jq: (Cannot|Unexpected|a )/);
});
