import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJavaScript, newWork } from './pattern.ts';

const characterPieces = [
  ...[
    'a',
    'B',
    'k',
    's',
    'é',
    'ß',
    'Σ',
    'ı',
    '😀',
    '\u{1d11e}',
    '-',
    '_',
    '/',
    ',',
    ':',
    '}',
    ' ',
    '\u00a0',
    '0',
  ],
  ...[
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\t',
    '\\n',
    '\\v',
    '\\0',
    '\\cJ',
    '\\x41',
    '\\u00e9',
    '\\u212a',
  ],
  ...[
    '\\.',
    '\\\\',
    '\\-',
    '\\/',
    '\\]',
    '\\[',
    '\\{',
    '\\^',
    '\\_',
    '\\é',
    '\\😀',
    '\\"',
    '\\ud83d',
    '\\ude00',
    '.',
    '$',
    '{',
  ],
  ...[
    '\\ud83d\\ude00',
    '\\u{e9}',
    '\\u{1f600}',
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Script=Greek}',
    '\\p{sc=Latin}',
    '\\p{gc=Nd}',
  ],
];
/** Syntax that only one of JavaScript and RE2 supports, or that they interpret differently. */
const oddPieces = [
  ...[
    '\\A',
    '\\z',
    '\\Z',
    '\\Q',
    '\\E',
    '\\C',
    '\\a',
    '\\e',
    '\\k',
    '\\1',
    '\\8',
    '\\01',
    '\\pL',
    '[:alpha:]',
    '[[:^space:]]',
  ],
  ...[
    '\\p{Emoji}',
    '\\p{Letter}',
    '(?=',
    '(?<!',
    '\\c',
    '\\c1',
    '\\x4',
    '\\x{41}',
    '\\u00',
    '{,2}',
    '{2',
    ']',
    '(',
    ')',
    '[',
    '*',
    '\\',
  ],
];
const quantifiers = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}?', '{0}', '{002}', '{,2}'];
const classPiece = fc.constantFrom(
  ...characterPieces,
  'a-z',
  'À-ž',
  '\\w-',
  '-',
  '^',
  '[',
  '\\b',
  '\\B',
  '\\ud83d-\\ude00',
);

const { pattern: alternatives } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .tuple(
      fc.array(tie('part'), { minLength: 1, maxLength: 4 }),
      fc.option(fc.array(tie('part'), { maxLength: 2 }), { freq: 4 }),
    )
    .map((sides) => sides.flatMap((side) => (side ? [side.join('')] : [])).join('|')),
  part: fc.oneof(
    { maxDepth: 2 },
    fc
      .tuple(fc.constantFrom(...characterPieces), fc.constantFrom(...quantifiers))
      .map(([piece, quantifier]) => piece + quantifier),
    fc.constantFrom('^', '$', '\\b', '\\B', '.'),
    fc
      .tuple(
        fc.constantFrom('[', '[^'),
        fc.array(classPiece, { maxLength: 4 }),
        fc.constantFrom(...quantifiers),
      )
      .map(([open, inside, quantifier]) => `${open}${inside.join('')}]${quantifier}`),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom(...quantifiers))
      .map(([open, inside, quantifier]) => `${open}${inside})${quantifier}`),
  ),
}));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '(?i)', '(?s)'),
    alternatives,
    fc.option(fc.constantFrom(...oddPieces), { freq: 4 }),
  )
  .map(([flags, source, odd]) => `${flags}${source}${odd ?? ''}`);
const characters = [
  ...[
    'a',
    'A',
    'b',
    'B',
    'k',
    'K',
    '\u212a',
    's',
    'S',
    'ſ',
    'é',
    'É',
    'ß',
    'ẞ',
    'Σ',
    'ς',
    'ı',
    'i',
    'İ',
    'z',
    'Z',
    'Q',
  ],
  ...[
    '0',
    '3',
    '٣',
    '_',
    '-',
    ' ',
    '\u00a0',
    '\u1680',
    '\u180e',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\u0085',
    '\v',
    '\r',
  ],
  ...[
    '\n',
    '\t',
    '\b',
    '\x07',
    '\x1b',
    '\0',
    '😀',
    '\u{1d11e}',
    '\ud83d',
    '\ude00',
    '[',
    ']',
    '{',
    '}',
    '\\',
    ':',
    '/',
  ],
  ...[',', 'p', 'L', 'u', 'x', 'c', '1', '4', 'alpha', 'p{L}', 'a{,2}'],
];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 6 }).map((parts) => parts.join(''));

/** The match result of JavaScript, with leading inline flags passed as flags. Undefined: not valid in JavaScript. */
function inJavaScript(source: string, searched: string, unicode: boolean): boolean | undefined {
  const [leading = '', flags = ''] = /^\(\?([is]+)\)/.exec(source) ?? [];
  try {
    return new RegExp(source.slice(leading.length), flags + (unicode && leading === '' ? 'u' : '')).test(
      searched,
    );
  } catch {
    return undefined;
  }
}

test.each([false, true])('what is accepted finds what JavaScript finds (u: %s)', (unicode) => {
  const compared = { true: 0, false: 0 };
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 8, maxLength: 8 }), (source, texts) => {
      const compiled = compileJavaScript(source, { unicode });
      if ('problem' in compiled) return;
      for (const searched of texts) {
        const found = compiled.pattern.test(searched, newWork()) as boolean;
        const expected = inJavaScript(source, searched, unicode) ?? inJavaScript(source, searched, false);
        expect({ source, searched, found }).toEqual({ source, searched, found: expected });
        compared[`${found}`]++;
      }
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(compared.true, compared.false)).toBeGreaterThan(300);
});

test.each<[string, string, boolean]>([
  ['a.b', 'a\u2028b', false],
  ['a.b', 'a\rb', false],
  ['^a\\sb$', 'a\u00a0b', true],
  ['\\S', '\ufeff', false],
  ['^..$', '😀', true],
  ['[^]', '\n', true],
  ['a[]', 'a', false],
  ['(?i)albatross|bittern', 'the BITTERN', true],
  ['(?i)straße', 'STRASSE', false],
  ['(?i:a)b', 'Ab', true],
  ['(?i:a)b', 'AB', false],
  ['a(?i)b|c', 'aB', true],
  ['(?m)^b$', 'a\nb\nc', true],
  ['(?s)a.b', 'a\nb', true],
  ['a{,2}', 'a{,2}', true],
  ['(?<city>K)iel', 'Kiel', true],
  ['\\u00e9\\/', 'é/', true],
  ['[{1000}]', '1', true],
])('%s in %j: %j', (source, searched, found) => {
  const compiled = compileJavaScript(source);
  if ('problem' in compiled) throw new Error(compiled.problem);
  expect(compiled.pattern.test(searched, newWork())).toBe(found);
});

test.each([
  ['\\p{L}+', '\\p stands for the letter "p" in JavaScript here: write the characters out'],
  ['\\Aab', 'write ^ for the start of the text'],
  ['ab\\z', 'write $ for the end of the text'],
  ['[[:alpha:]]', 'JavaScript has no [:alpha:]'],
  ['\\Qa.b\\E', 'put a backslash before each special character'],
  ['\\u{e9}', 'write four hexadecimal digits'],
  ['\\x{e9}', 'write two hexadecimal digits'],
  ['(?P<n>a)', 'a named group is written (?<name>…)'],
  ['(a)\\1', 'no backreferences'],
  ['(?<n>a)\\k<n>', 'no backreferences'],
  ['a(?!b)', 'no lookahead and no lookbehind'],
  ['(?<=a)b', 'no lookahead and no lookbehind'],
  ['[z-a]', 'Range out of order in character class'],
  ['a)', 'Unmatched'],
  ['a(?i)*', 'Nothing to repeat'],
  ['a{1001}', 'invalid repeat count'],
  ['((a{50}){50}){2}', '2,000 parts'],
])('%s is refused', (source, why) => {
  expect(compileJavaScript(source)).toEqual({ problem: expect.stringContaining(why) });
});

test('a schema may have properties, and escapes that are refused with u', () => {
  const matches = (source: string, searched: string) => {
    const compiled = compileJavaScript(source, { unicode: true });
    return 'problem' in compiled ? compiled.problem : compiled.pattern.test(searched, newWork());
  };
  expect(matches('^[\\p{L}\\d]+$', 'Größe7')).toBe(true);
  expect(matches('^[^\\p{Lu}]$', 'É')).toBe(false);
  expect(matches('^.$', '😀')).toBe(true);
  expect(matches('^\\d\\-[\\w-.]$', '1-x')).toBe(true);
  expect(matches('^(?i)kiel$', 'KIEL')).toBe(true);
  expect(matches('\\p{Letter}', 'x')).toContain('\\p{Letter}');
});
