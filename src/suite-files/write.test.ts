import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstVersion, secondVersion } from './example.ts';
import { readSuiteFile } from './read.ts';
import type { SuiteFile } from './suite-file.ts';
import { writeSuiteFile } from './write.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom(
      'yes',
      '1',
      '0x1',
      'null',
      '~',
      '- a',
      'a: b',
      '#',
      ' a ',
      'a\n\nb\n',
      '\u2028',
      'a\r\nb',
      '\t',
      '<<',
      '\u0085',
      '\u{feff}',
      '"',
      "'",
      '2020-01-01',
      '---',
      '...',
      '%',
    ),
  )
  .filter((value) => !value.includes('\0') && value.isWellFormed());
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const json = fc
  .dictionary(
    text,
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
      fc.boolean(),
      fc.constant(null),
      fc.array(text),
    ),
  )
  .map((value) => ({ ...value }))
  .filter((value) => !Object.hasOwn(value, '__proto__'));
const steps = fc.tuple(text, json).map(([prompt, args]) => [
  { id: '1', kind: 'prompt' as const, prompt },
  { id: '2', kind: 'toolCall' as const, serverName: 's', toolName: 't', arguments: args },
]);
const cases = fc.uniqueArray(fc.record({ id, steps, expectedOutput: text }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 4,
});
const file = fc
  .tuple(fc.boolean(), cases, text, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([first, cases, systemPrompt, passThreshold]): SuiteFile => {
    const titled = cases.map((one) => ({ ...one, title: `Case ${one.id}` }));
    const defaults = { model: 'm', systemPrompt, passThreshold: passThreshold + 0 };
    const rest = { suite: { id: 'a', name: 'A' }, target: { environment: 'e' }, cases: titled };
    return first
      ? { ...rest, schemaVersion: '1', defaults: { ...defaults, repetitions: 3 } }
      : { ...rest, schemaVersion: '2', defaults: { ...defaults, iterations: 3 } };
  });

const readBack = (file: SuiteFile): SuiteFile =>
  readSuiteFile(new TextEncoder().encode(writeSuiteFile(file))).file;

test.each([firstVersion, secondVersion])('the example of version $schemaVersion reads back', (example) => {
  expect(readBack(example as SuiteFile)).toEqual(example);
});

test('what is written reads back', () => {
  fc.assert(
    fc.property(file, (file) => {
      expect(readBack(file)).toEqual(file);
    }),
  );
});

test('the order of keys does not depend on who made the file', () => {
  const reversed = Object.fromEntries(Object.entries(firstVersion).toReversed()) as unknown as SuiteFile;
  expect(writeSuiteFile(reversed)).toBe(writeSuiteFile(firstVersion as SuiteFile));
});
