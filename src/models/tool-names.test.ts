import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameTools } from './tool-names.ts';

function namesOf(...tools: [server: string, name: string][]): string[] {
  return nameTools(tools.map(([server, name]) => ({ server, name }))).offered.map(({ name }) => name);
}

describe('names of tools for a model', () => {
  test.each<[string, [string, string][], (string | RegExp)[]]>([
    [
      'stay when they are fine',
      [
        ['a', 'list_ships'],
        ['b', 'add-1'],
      ],
      ['list_ships', 'add-1'],
    ],
    [
      'of two servers tell the servers',
      [
        ['Git Hub', 'search'],
        ['jira', 'search'],
      ],
      ['Git_Hub_search', 'jira_search'],
    ],
    ['lose what providers refuse', [['a', 'files.read/all']], ['files_read_all']],
    [
      'leave one that is fine alone',
      [
        ['a', 'x.y'],
        ['b', 'x_y'],
      ],
      [/^x_y_[0-9a-f]{8}$/, 'x_y'],
    ],
    ['are cut', [['a', 'n'.repeat(80)]], [/^n{55}_[0-9a-f]{8}$/]],
    ['are there without any letter', [['a', '日本']], ['_']],
    ['are there without a name', [['a', '']], [/^_[0-9a-f]{8}$/]],
    [
      'of one server twice',
      [
        ['a', 't'],
        ['a', 't'],
      ],
      [/^a_t_[0-9a-f]{8}$/, /^a_t_[0-9a-f]{8}$/],
    ],
  ])('%s', (_, tools, expected) => {
    const names = namesOf(...tools);
    expect(names).toHaveLength(expected.length);
    for (const [n, one] of expected.entries())
      expect(names[n]).toMatch(typeof one === 'string' ? new RegExp(`^${one}$`) : one);
    expect(new Set(names).size).toBe(names.length);
  });

  const word = fc.oneof(
    fc.constantFrom('search', 'a.b', 'a_b', 'a b', '', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(66)),
    fc.string({ maxLength: 80 }),
  );
  const tools = fc.array(fc.record({ server: word, name: word }), { maxLength: 30 });

  test('are accepted, unique, found again, and the same in any order', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ server: word, name: word }), {
          selector: ({ server, name }) => JSON.stringify([server, name]),
          maxLength: 30,
        }),
        fc.integer(),
        (given, seed) => {
          const { offered, find } = nameTools(given);
          expect(offered.map(({ tool }) => tool)).toEqual(given);
          expect(new Set(offered.map(({ name }) => name)).size).toBe(given.length);
          for (const { name, tool } of offered) {
            expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
            expect(find(name)).toBe(tool);
          }
          const shuffled = [...given].sort((a, b) => hash(a, seed) - hash(b, seed));
          const again = new Map(nameTools(shuffled).offered.map(({ name, tool }) => [tool, name]));
          for (const { name, tool } of offered) expect(again.get(tool)).toBe(name);
        },
      ),
    );
  });

  test('are unique also when a server lists a tool twice', () => {
    fc.assert(
      fc.property(tools, (given) => {
        const names = nameTools([...given, ...given]).offered.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});

function hash(value: unknown, seed: number): number {
  let sum = seed | 0;
  for (const char of JSON.stringify(value)) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) | 0;
  return sum;
}
