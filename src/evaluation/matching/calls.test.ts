import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call } from '../../../test/support/evidence.ts';
import { scaled } from '../../../test/support/slowdown.ts';
import type { ToolCall } from '../evidence.ts';
import { type ExpectedCall, matchCalls, matchTurn, type TurnMatch } from './calls.ts';
import { defaultMatchOptions, type ResolvedMatchOptions } from './options.ts';

const options = (over: Partial<ResolvedMatchOptions> = {}): ResolvedMatchOptions => ({
  ...defaultMatchOptions,
  ...over,
});

/** `a1` is a call of tool a with x = 1, `a` one without arguments, `a!` one that reached no server. */
function calls(words: string): ToolCall[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word, at) =>
      call(word.startsWith('list') ? word : (word[0] ?? ''), argumentsOf(word), {
        toolCallId: `${at}`,
        ...(word.endsWith('!') && { invalid: 'no such tool' }),
      }),
    );
}

function argumentsOf(word: string): Record<string, unknown> {
  const x = Number.parseInt(word.slice(1), 10);
  return Number.isNaN(x) ? {} : { x };
}

function named({ missing, unexpected, argumentMismatches, passed }: TurnMatch): object {
  const x = (args: Readonly<Record<string, unknown>>): string => JSON.stringify(args['x']) ?? '';
  const word = (toolName: string, args: Readonly<Record<string, unknown>>): string => `${toolName}${x(args)}`;
  return {
    passed,
    missing: missing.map((found) => word(found.toolName, found.arguments)).join(' '),
    unexpected: unexpected.map((found) => word(found.toolName, found.arguments)).join(' '),
    mismatches: argumentMismatches
      .map((found) => `${word(found.toolName, found.expectedArgs)}≠${x(found.actualArgs)}`)
      .join(' '),
  };
}

test.each<[Partial<ResolvedMatchOptions>, string, string, object]>([
  [{}, '', 'a b', { passed: true, unexpected: 'a b' }],
  [{}, 'a b', 'b c a', { passed: true, unexpected: 'c' }],
  [{}, 'a a', 'a', { missing: 'a' }],
  [{}, 'a1', 'a2', { mismatches: 'a1≠2' }],
  [{}, 'a1 a2', 'a2 a3 b', { mismatches: 'a1≠3', unexpected: 'b' }],
  // A greedy match would give a1 to the unspecific expectation, although only a1 matches the other one.
  [{}, 'a a1', 'a1 a2', { passed: true }],
  [{}, 'a a1', 'a2 a1', { passed: true }],
  [{}, 'a', 'a!', { mismatches: 'a≠' }],
  [{}, 'a', 'a! a', { passed: true, unexpected: 'a' }],
  [{ extra: 0 }, 'a', 'a b', { unexpected: 'b' }],
  [{ extra: 1 }, 'a', 'a b', { passed: true, unexpected: 'b' }],
  [{ extra: 0 }, '', 'a', { unexpected: 'a' }],
  [{ extra: 0 }, 'a', 'listSkills a', { passed: true }],
  [{ extra: 0 }, 'listSkills', 'listSkills', { passed: true }],
  [{}, 'listSkills', 'a', { missing: 'listSkills', unexpected: 'a' }],
  [{ arguments: 'ignore' }, 'a1', 'a2', { passed: true }],
  [{ arguments: 'exact' }, 'a', 'a2', { mismatches: 'a≠2' }],
  [{ order: 'in-order' }, 'a b', 'c a c b', { passed: true, unexpected: 'c c' }],
  [{ order: 'in-order' }, 'a b', 'b a', { missing: 'b', unexpected: 'b' }],
  [{ order: 'in-order' }, 'c a b', 'a b c', { missing: 'c', unexpected: 'c' }],
  [{ order: 'in-order' }, 'a b2', 'a b3', { mismatches: 'b2≠3' }],
  [{ order: 'exact' }, 'a b', 'a b c', { passed: true, unexpected: 'c' }],
  [{ order: 'exact' }, 'a b', 'a c b', { missing: 'b', unexpected: 'c b' }],
  [{ order: 'exact' }, 'a b', 'listSkills a b', { passed: true }],
  [{ order: 'exact' }, 'a1 b', 'a2 b', { mismatches: 'a1≠2' }],
])('%j: expected %j, called %j', (over, expected, actual, found) => {
  const match = matchCalls(calls(expected), calls(actual), options(over));
  expect(named(match)).toEqual({ passed: false, missing: '', unexpected: '', mismatches: '', ...found });
});

test('an expected call may have a mode of its own', () => {
  const expected = [{ toolName: 'a', arguments: { x: 1 }, argumentMatching: 'exact' as const }];
  expect(matchCalls(expected, [call('a', { x: 1, y: 2 })], options({ arguments: 'ignore' })).passed).toBe(
    false,
  );
});

test('a pinned call is not matched; in a negative case no prompt may call a tool', () => {
  const made = calls('a');
  const expected: ExpectedCall[] = [{ toolName: 'b', arguments: {} }];
  expect(matchTurn({ kind: 'toolCall', expected, calls: made }, options({ extra: 0 }), false).passed).toBe(
    true,
  );
  expect(matchTurn({ kind: 'toolCall', expected, calls: made }, options(), true).passed).toBe(true);
  expect(matchTurn({ kind: 'prompt', expected, calls: made }, options(), true)).toMatchObject({
    passed: false,
    unexpected: made,
    missing: [],
  });
  expect(matchTurn({ kind: 'prompt', expected, calls: calls('listSkills') }, options(), true).passed).toBe(
    true,
  );
});

const word = fc
  .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', '1', '2', '3', '!'))
  .map((parts) => parts.join(''));
const words = fc.array(word, { maxLength: 8 }).map((all) => all.join(' '));
const plainWords = words.map((all) => all.replaceAll('!', ''));
const anyOptions = fc.record<ResolvedMatchOptions>({
  order: fc.constantFrom('any', 'in-order', 'exact'),
  extra: fc.constantFrom(null, 0, 2),
  arguments: fc.constantFrom('partial', 'exact', 'ignore'),
});

const unpositioned = anyOptions.filter(({ order }) => order !== 'exact');

/** Compares lists as sets, because their order is unspecified. */
function unordered(match: TurnMatch): object {
  const sorted = (items: readonly object[]): string[] =>
    items.map((item) => JSON.stringify({ ...item, toolCallId: undefined })).sort();
  return {
    passed: match.passed,
    missing: sorted(match.missing),
    unexpected: sorted(match.unexpected),
    mismatches: sorted(match.argumentMismatches),
  };
}

test('in any order, the order of the calls makes no difference', () => {
  fc.assert(
    fc.property(
      plainWords,
      words,
      fc.infiniteStream(fc.nat()),
      anyOptions,
      (expected, actual, random, over) => {
        const made = calls(actual);
        const shuffled = made
          .map((item) => ({ item, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
        const any = { ...over, order: 'any' as const };
        expect(unordered(matchCalls(calls(expected), shuffled, any))).toEqual(
          unordered(matchCalls(calls(expected), made, any)),
        );
      },
    ),
  );
});

test('every call is told once: matched, mismatched, or left over', () => {
  fc.assert(
    fc.property(plainWords, words, anyOptions, (expected, actual, over) => {
      const wanted = calls(expected);
      const made = calls(actual);
      const { missing, unexpected, argumentMismatches, passed } = matchCalls(wanted, made, over);
      const matched = wanted.length - missing.length - argumentMismatches.length;
      expect(matched).toBeGreaterThanOrEqual(0);
      expect(unexpected.length + argumentMismatches.length + matched).toBe(made.length);
      const faultless = missing.length === 0 && argumentMismatches.length === 0;
      expect(passed).toBe(faultless && unexpected.length <= (over.extra ?? Number.POSITIVE_INFINITY));
    }),
  );
});

test('a call of a tool that nobody expects finds nothing that was missing', () => {
  fc.assert(
    fc.property(plainWords, words, unpositioned, fc.nat(), (expected, actual, over, at) => {
      const made = calls(actual);
      const more = made.toSpliced(at % (made.length + 1), 0, call('z', {}, { toolCallId: 'z' }));
      const before = matchCalls(calls(expected), made, over);
      const after = matchCalls(calls(expected), more, over);
      expect(after.missing).toEqual(before.missing);
      expect(after.unexpected.length).toBe(before.unexpected.length + 1);
      expect(before.passed || !after.passed).toBe(true);
    }),
  );
});

test('what passes in a stricter order passes in a looser one', () => {
  fc.assert(
    fc.property(plainWords, words, anyOptions, (expected, actual, over) => {
      const passes = (order: ResolvedMatchOptions['order']): boolean =>
        matchCalls(calls(expected), calls(actual), { ...over, order }).passed;
      expect(passes('in-order') || !passes('exact')).toBe(true);
      expect(passes('any') || !passes('in-order')).toBe(true);
    }),
  );
});

test('hundreds of expected and thousands of actual calls are matched in time', () => {
  const expected = Array.from({ length: 200 }, (_, x): ExpectedCall => ({ toolName: 'a', arguments: { x } }));
  const actual = Array.from({ length: 5000 }, (_, x) => call('a', { x: x % 300, y: 'y'.repeat(200) }));
  for (const order of ['any', 'in-order', 'exact'] as const) {
    const start = performance.now();
    matchCalls(expected, actual, options({ order }));
    expect(performance.now() - start).toBeLessThan(scaled(10_000));
  }
});
