import { expect, test } from 'vitest';
import { declaredIdIn, spanOfLine } from './file-problems.ts';

test.each([
  ['schemaVersion: "2"\nsuite:\n  name: A\n  id: harbour\ncases: []\n', 'harbour'],
  ['suite: { id: harbour, name: Harbour }\n', 'harbour'],
  ['suite: # ours\n\n  id: "quoted-id"\n', 'quoted-id'],
  ['{"suite": {"id": "json", "name": "J"}}', 'json'],
  ['suite:\n  name: A\ncases:\n  - id: not-this\n', undefined],
  ['', undefined],
])('the id of %j', (text, id) => {
  expect(declaredIdIn(text)).toBe(id);
});

test('a line is found by its number', () => {
  const text = 'one\ntwo\nthree';
  expect(text.slice(...spanOfLine(text, 2))).toBe('two');
  expect(text.slice(...spanOfLine(text, 3))).toBe('three');
  expect(spanOfLine(text, 9)).toEqual([13, 13]);
});
