import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filled, fits, isTemplate, regexOf, variablesIn } from './address-template.ts';

const piece = fc.constantFrom('{a}', '{b}', '-', '.', '/', 'x', 'mcp', '{c}{d}');
const template = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => `https://h${parts.join('')}`);
const value = fc.stringMatching(/^[A-Za-z0-9._~-]{1,12}$/);

test('what is filled in fits, whatever the values', () => {
  fc.assert(
    fc.property(template, value, value, (one, first, second) => {
      const url = filled(one, { a: first, b: second, c: first, d: second });
      expect(variablesIn(url)).toEqual([]);
      expect(fits(one, url)).toBe(true);
    }),
  );
});

test('a URL fits exactly when the expression for others says so', () => {
  const url = fc.array(fc.constantFrom('x', '-', '.', '/', '?', 'mcp', '@'), { maxLength: 12 });
  fc.assert(
    fc.property(template, url, (one, parts) => {
      const written = `https://h${parts.join('')}`;
      expect(fits(one, written)).toBe(new RegExp(regexOf(one)).test(written));
    }),
  );
});

test('a template made to take long does not', () => {
  const cruel = `https://${'{a}'.repeat(150)}!`;
  const began = performance.now();
  expect(fits(cruel, `https://${'a'.repeat(4000)}`)).toBe(false);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test.each([
  ['https://{tenant}.example.com/mcp', true],
  ['http://example.com/{a}/{b}', true],
  ['https://example.com/mcp', false],
  ['{url}/mcp', false],
  ['{scheme}://example.com', false],
  ['https://{user}:{password}@example.com', false],
  ['https://example.com/{a b}', false],
  ['https://example.com/{a}{', false],
  ['javascript://{a}', false],
  [`https://example.com/{a}${'x'.repeat(600)}`, false],
])('%s is a template: %s', (text, is) => {
  expect(isTemplate(text)).toBe(is);
});
