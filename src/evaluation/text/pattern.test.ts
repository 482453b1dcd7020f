import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaled } from '../../../test/support/slowdown.ts';
import { compilePattern, newWork } from './pattern.ts';

function found(source: string, text: string, flags = ''): boolean | undefined | string {
  const compiled = compilePattern(source, flags);
  return 'problem' in compiled ? compiled.problem : compiled.pattern.test(text, newWork());
}

test.each<[string, string, string, boolean]>([
  ['b+', '', 'abbc', true],
  ['^b', 'm', 'a\nb', true],
  ['^b', '', 'a\nb', false],
  ['a.b', 's', 'a\nb', true],
  ['KIEL', 'i', 'kiel', true],
  ['\\u00e9\\/', '', 'é/', true],
  ['(?<city>K)', '', 'Kiel', true],
  ['[^]', '', '\n', true],
  ['\\\\1', '', '\\1', true],
  ['\\Qa/b\\E', '', 'a/b', true],
  ['[{1000}]', '', '1', true],
])('%s (%s) in %j: %j', (source, flags, text, matches) => {
  expect(found(source, text, flags)).toBe(matches);
});

test.each([
  ['(a)\\1', 'RE2 has no backreferences'],
  ['(?<n>a)\\k<n>', 'RE2 has no backreferences'],
  ['\\\\\\1', 'RE2 has no backreferences'],
  ['a(?!b)', 'RE2 has no lookahead and no lookbehind'],
  ['(?<=a)b', 'RE2 has no lookahead and no lookbehind'],
  ['[z-a]', 'invalid character class range'],
  ['a{1001}', 'invalid repeat count'],
  ['a{1000}a{1000}a{1000}', '2,000 parts'],
  ['((a{50}){50}){2}', '2,000 parts'],
  ['('.repeat(1001) + ')'.repeat(1001), '2,000 parts'],
])('%.40s cannot be used', (source, why) => {
  expect(found(source, 'a')).toContain(why);
});

test('whatever is written is compiled, or refused with a reason, and quickly', () => {
  const part = fc.constantFrom(
    'a',
    '(',
    ')',
    '[',
    ']',
    '{9}',
    '{99,}',
    '{1,999}',
    '*',
    '+?',
    '|',
    '\\',
    '^',
    '$',
    '.',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const start = performance.now();
      expect(['boolean', 'string', 'undefined']).toContain(typeof found(parts.join(''), 'a'.repeat(2000)));
      expect(performance.now() - start).toBeLessThan(scaled(10_000));
    }),
    { numRuns: 30 },
  );
});

test('what would take backtracking centuries takes no time', () => {
  const start = performance.now();
  expect(found('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
  expect(found('(x+x+)+y', 'x'.repeat(90_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(scaled(10_000));
});

test('one budget is shared by all that is asked in one go', () => {
  const compiled = compilePattern('(a|b)*a(a|b){100}[cd]');
  if ('problem' in compiled) throw new Error(compiled.problem);
  const work = newWork();
  const answers = Array.from({ length: 1000 }, () => compiled.pattern.test('ab'.repeat(100), work));
  expect(answers[0]).toBe(false);
  expect(answers.at(-1)).toBeUndefined();
});
