import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideSecrets, secretsOf, withoutSecrets } from './target.ts';

const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0');

/** How a server may write a character of what it was sent. */
const writings: ((character: string) => string)[] = [
  (character) => character,
  (character) => `\\u${hex(character, 4)}`,
  (character) => `\\u${hex(character, 4).toUpperCase()}`,
  (character) => JSON.stringify(character).slice(1, -1),
  (character) => (character === '/' ? '\\/' : character),
  (character) => `%${hex(character, 2)}`,
  (character) => `&#x${hex(character, 1)};`,
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => JSON.stringify(JSON.stringify(character).slice(1, -1)).slice(1, -1),
];

const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 6,
  maxLength: 40,
});
// An escape inside the secret itself would be read as what it stands for.
const secret = printable.filter((text) => !/[\\%&]/.test(text));

test('a secret is found however its characters are written', () => {
  fc.assert(
    fc.property(
      secret,
      fc.array(fc.nat(writings.length - 1), { minLength: 40, maxLength: 40 }),
      fc.string(),
      (value, choices, before) => {
        const written = value
          .split('')
          .map((each, at) => writings[choices[at] ?? 0]?.(each))
          .join('');
        const hidden = withoutSecrets(`${before} ${written} after`, [value]);
        expect(hidden).toBe(`${withoutSecrets(`${before} `, [value])}[hidden] after`);
      },
    ),
  );
});

test('any secret is found as it is, in JSON and in a URL', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        printable,
        printable.map((text) => `é${text}\u00ff`),
      ),
      (value) => {
        for (const written of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
          expect(withoutSecrets(`<${written}>`, [value])).toBe('<[hidden]>');
      },
    ),
  );
});

test('text without secrets stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(withoutSecrets(text, ['never-in-a-text-like-this'])).toBe(text);
    }),
  );
  const text = '%41 \\u0041 &amp; &#99999999; \\';
  expect(withoutSecrets(text, ['never-in-a-text-like-this'])).toBe(text);
});

test('what Basic credentials stand for is secret too', () => {
  const value = `Basic ${Buffer.from('captain:sea-of-fog').toString('base64')}`;
  const secrets = secretsOf({ kind: 'http', url: 'http://127.0.0.1/', headers: { Authorization: value } });
  expect(withoutSecrets('captain:sea-of-fog, sea-of-fog', secrets)).toBe('[hidden], [hidden]');
});

test('a value nested beyond reason is cut', () => {
  const deep = JSON.parse('{"in":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as unknown;
  const text = JSON.stringify(hideSecrets({ deep }, []));
  expect(text.length).toBeLessThan(2000);
  expect(text).toContain('[nested too deeply]');
});
