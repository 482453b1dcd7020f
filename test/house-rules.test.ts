import { describe, expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { problemsOf } from '../scripts/check-layers.mjs';
// @ts-expect-error: a script without types
import { refusedIn } from '../scripts/check-words.mjs';

const layers = [
  {
    name: 'Below',
    folders: { base: 'the base', grading: { about: 'grading', pure: true, imports: ['base/json'] } },
  },
  { name: 'Above', never: ['base/sql'], folders: { pages: 'pages' } },
];
const files = [
  'src/base/a.ts',
  'src/base/json/b.ts',
  'src/base/json/e.ts',
  'src/base/sql/c.ts',
  'src/grading/d.ts',
  'src/pages/e.ts',
];

/** The problems when these files import these. */
const problemsWith = (added: Record<string, string[]>): string[] =>
  problemsOf(layers, new Map(files.map((path) => [path, added[path] ?? []])));

describe('the layers of src', () => {
  test('imports of folders listed before are allowed', () => {
    expect(
      problemsWith({
        'src/pages/e.ts': ['src/grading/d.ts', 'node:fs'],
        'src/grading/d.ts': ['src/base/json/b.ts', 'node:crypto'],
        'src/base/a.ts': ['src/base/json/b.ts'],
      }),
    ).toEqual([]);
  });

  test.each([
    ['src/base/a.ts', 'src/pages/e.ts', 'src/layers.json lists pages after base'],
    ['src/grading/d.ts', 'src/base/a.ts', 'which src/layers.json does not allow grading'],
    ['src/grading/d.ts', 'node:fs', 'but grading is pure'],
    ['src/pages/e.ts', 'src/base/sql/c.ts', 'which src/layers.json does not allow pages'],
  ])('%s may not import %s', (from, to, problem) => {
    expect(problemsWith({ [from]: [to] })).toEqual([expect.stringContaining(problem)]);
  });

  test('a circle of files is found, types included', () => {
    expect(
      problemsWith({
        'src/base/a.ts': ['src/base/sql/c.ts'],
        'src/base/sql/c.ts': ['src/base/a.ts'],
      }),
    ).toEqual(['Files import each other in a circle: src/base/a.ts, src/base/sql/c.ts']);
  });

  test('a circle of sub-folders is found, also by way of a file beside them', () => {
    expect(
      problemsWith({
        'src/base/json/b.ts': ['src/base/a.ts'],
        'src/base/a.ts': ['src/base/sql/c.ts'],
        'src/base/sql/c.ts': ['src/base/json/e.ts'],
      }),
    ).toEqual(['Sub-folders import each other in a circle: src/base/sql, src/base/json']);
  });

  test('a folder that is not listed, and one that is listed only, are found', () => {
    const none = new Map([['src/new/f.ts', []]]);
    expect(problemsOf([layers[1]], none)).toEqual([
      'src/new/f.ts is in no folder of src/layers.json. Add its folder there',
      'src/layers.json lists pages, which does not exist',
    ]);
  });
});

describe('the openings of sentences', () => {
  test.each([
    ['src/a.ts', '// What is kept of an answer.\nkeep();'],
    ['src/a.ts', '/** Reads it.\n * Whoever calls this has the lock. */'],
    ['src/contract/a.ts', "describe('Optional. Those without a name are left out')"],
  ])('in %s %j is refused', (path, source) => {
    expect(refusedIn(path, source)).toHaveLength(1);
  });

  test.each([
    ['src/a.ts', '// Keeps the first 64 KiB of an answer,\n// what follows is dropped.\nkeep();'],
    ['src/a.ts', "say('Those without a name are left out');"],
    ['src/contract/a.ts', "describe('Optional. Items without a name are left out')"],
  ])('in %s %j is allowed', (path, source) => {
    expect(refusedIn(path, source)).toEqual([]);
  });
});
