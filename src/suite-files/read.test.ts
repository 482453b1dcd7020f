// @module-tag long
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { scaled } from '../../test/support/slowdown.ts';
import { largestSuiteFile } from '../contract/eval-suite-files.ts';
import { broken, changed, firstVersion, secondVersion } from './example.ts';
import { SuiteFileProblem } from './problem.ts';
import { readSuiteFile } from './read.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function problemOf(text: string | Uint8Array, fileName = 'a.yaml'): SuiteFileProblem {
  try {
    readSuiteFile(typeof text === 'string' ? bytes(text) : text, { fileName });
  } catch (error) {
    if (error instanceof SuiteFileProblem) return error;
    throw error;
  }
  throw new Error('The file was accepted');
}

test.each([firstVersion, secondVersion])('a file of version $schemaVersion, in YAML and in JSON', (file) => {
  for (const text of [stringify(file), JSON.stringify(file, null, 2), `\u{feff}${JSON.stringify(file)}`]) {
    const read = readSuiteFile(bytes(text));
    expect(read.file).toEqual(file);
    expect(read.sourceHash).toBe(createHash('sha256').update(bytes(text)).digest('hex'));
  }
});

test.each(broken)('%#: refused', (file, path, value) => {
  expect(problemOf(stringify(changed(file, path, value))).problems.length).toBeGreaterThan(0);
});

test('a large file is read', () => {
  const steps = Array.from({ length: 20 }, (_, at) => ({
    id: `${at}`,
    kind: 'prompt',
    prompt: 'Hello there',
  }));
  const cases = Array.from({ length: 500 }, (_, at) => ({ id: `c${at}`, title: 'A case', steps }));
  const text = stringify({ ...firstVersion, cases }, { aliasDuplicateObjects: false });
  expect(readSuiteFile(bytes(text)).file.cases).toHaveLength(500);
});

const [one] = firstVersion.cases;
test.each<[string, object, { path: string; code?: string; at: string; message?: RegExp }]>([
  ['a missing field', changed(firstVersion, 'suite.name'), { path: 'suite.name', at: 'id: ships' }],
  ['an unknown key', changed(firstVersion, 'suite.nmae', 'x'), { path: 'suite.nmae', at: 'nmae: x' }],
  ['a value', changed(firstVersion, 'cases.0.kind', 'odd'), { path: 'cases.0.kind', at: 'odd' }],
  [
    'too many trials',
    changed(firstVersion, 'defaults.repetitions', 77),
    { path: 'defaults.repetitions', code: 'REPETITIONS_CAP', at: '77' },
  ],
  [
    'a tool policy',
    changed(firstVersion, 'defaults.toolPolicy.mode', 'readOnly'),
    { path: 'defaults.toolPolicy.mode', code: 'TOOL_POLICY_UNSUPPORTED', at: 'readOnly' },
  ],
  [
    'two words for the models of a case',
    changed(secondVersion, 'cases.0.model', 'b'),
    { path: 'cases.0.models', at: '- model: a', message: /one of them/ },
  ],
  [
    'a pattern in a check of all cases',
    changed(secondVersion, 'defaults.assertions', [{ type: 'responseMatches', pattern: '(?=a)' }]),
    { path: 'defaults.assertions.0.pattern', at: '(?=a)' },
  ],
  [
    'no enabled case',
    changed(firstVersion, 'cases.0.disabled', true),
    { path: 'cases', code: 'NO_ENABLED_CASES', at: '- id: lists' },
  ],
  [
    'two cases of one id',
    changed(firstVersion, 'cases.1', { ...one, id: 'lists', title: 'Again' }),
    { path: 'cases.1.id', at: 'lists\n    title: Again' },
  ],
  [
    'two steps of one id',
    changed(firstVersion, 'cases.0.steps.1.id', '1'),
    { path: 'cases.0.steps.1.id', at: '"1"\n        kind: assert' },
  ],
  [
    'a word of the other version',
    changed(firstVersion, 'cases.0.checks.0.role', 'required'),
    { path: 'cases.0.checks.0.role', at: 'required' },
  ],
  [
    'a pattern that is none',
    changed(secondVersion, 'cases.0.assertions.0.pattern', '(?=a)'),
    { path: 'cases.0.assertions.0.pattern', at: '(?=a)' },
  ],
  [
    'a claim of exactness without a note',
    changed(firstVersion, 'cases.0.import', { status: 'exact' }),
    { path: 'cases.0.import.note', at: 'status: exact' },
  ],
])('%s is told with its place', (_what, file, { path, code, at }) => {
  const text = stringify(file, { lineWidth: 0 });
  const before = text.slice(0, text.indexOf(at)).split('\n');
  expect(text).toContain(at);
  expect(problemOf(text).problems).toEqual([
    {
      line: before.length,
      column: (before.at(-1) ?? '').length + 1,
      path,
      ...(code !== undefined && { code }),
      message: expect.any(String) as string,
    },
  ]);
});

test('problems come in the order of the file, twenty of them', () => {
  const cases = Array.from({ length: 30 }, (_, index) => ({ ...one, id: `c${index}`, kind: 'odd' }));
  const { problems, more } = problemOf(stringify({ ...firstVersion, cases }));
  expect(problems).toHaveLength(20);
  expect(more).toBe(10);
  expect(problems.map(({ line }) => line)).toEqual(
    problems.map(({ line }) => line).toSorted((a, b) => a - b),
  );
});

const yaml = stringify(firstVersion);
test.each<[string, string | Uint8Array, RegExp, string?]>([
  ['nothing', '', /Must be|Required/],
  ['no mapping', '- 1', /Must be/],
  ['broken JSON', '{"a" 1', /Not valid JSON/],
  ['broken JSON by name', '[1', /Not valid JSON/, 'a.json'],
  ['broken YAML', 'a: [1', /Not valid YAML/],
  ['a key twice', `${yaml}schemaVersion: "1"\n`, /is duplicated/],
  ['an unknown tag', 'a: !foo 1', /tag/],
  ['bytes', 'a: !!binary aGVsbG8=', /tag/],
  ['a set', 'a: !!set {b}', /tag/],
  ['two documents', `${yaml}---\na: 1\n`, /one document/],
  ['an old YAML', `%YAML 1.1\n---\n${yaml}`, /1\.2/],
  ['infinity', 'a: .inf', /too large/],
  ['half a surrogate pair', 'a: "\\ud800"', /surrogate/],
  ['NUL', 'a: "\\0"', /NUL/],
  ['a prototype key', '{"__proto__": {"mode": 1}}', /May not be used as a key/],
  ['a prototype name', '{"constructor": 1}', /Unknown field|schemaVersion/],
  ['a key that is no text', '1: 2', /key must be a text/],
  ['a key that is a mapping', '? {a: 1}\n: 2', /key must be a text/],
  ['an alias of nothing', 'a: *x', /./],
  ['an alias of itself', 'a: &x [*x]', /./],
  ['aliases of aliases', bomb(), /too many values|aliases/],
  ['many aliases', `a: &x 1\nb: [${'*x , '.repeat(200)}]`, /aliases/],
  ['no UTF-8', new Uint8Array([97, 58, 32, 0xff, 0xfe]), /UTF-8/],
  ['overlong UTF-8', new Uint8Array([0xc0, 0x80]), /UTF-8/],
  ['UTF-16', new Uint8Array([0xff, 0xfe, 97, 0]), /UTF-8/],
  ['too many bytes', ' '.repeat(largestSuiteFile + 1), /at most 1,048,576 bytes/],
  ['deep flow', '['.repeat(500_000), /deeper/],
  ['deep flow, closed', '['.repeat(100) + ']'.repeat(100), /deeper/],
  ['deep dashes', '- '.repeat(500_000), /deeper/],
  ['deep blocks', Array.from({ length: 1400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), /deeper/],
  ['deep keys', '? '.repeat(500_000), /deeper/],
  ['many commas', `[${','.repeat(1_000_000)}`, /./],
  ['as many commas as are read', `[${','.repeat(390_000)}`, /./],
  ['many quotes', '"'.repeat(1_000_000), /./],
  ['many anchors', '&a '.repeat(300_000), /./],
  ['many tags', '!a '.repeat(300_000), /./],
  ['many lines', '\n'.repeat(1_000_000), /./],
  ['many documents', '---\n'.repeat(250_000), /./],
  ['many keys', Array.from({ length: 90_000 }, (_, at) => `k${at}: 1`).join('\n'), /./],
  ['many keys in few tokens', `{${Array.from({ length: 30_000 }, (_, at) => `k${at}: 1`).join(',')}}`, /./],
  ['many directives', '%a\n'.repeat(300_000), /./],
])('hostile: %s', (_what, text, message, fileName) => {
  const before = process.cpuUsage();
  const problem = problemOf(text, fileName);
  const { user, system } = process.cpuUsage(before);
  // CPU time, so that a busy machine does not fail the test.
  expect((user + system) / 1_000).toBeLessThan(scaled(5_000));
  expect(problem.message).toMatch(message);
  expect(problem.problems.length).toBeLessThanOrEqual(20);
  for (const { line, column } of problem.problems) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
});

function bomb(): string {
  const names = 'abcdefghijk';
  const rows = names.split('').map((name, at) => {
    const before = names[at - 1];
    return `${name}: &${name} [${new Array(9).fill(before ? `*${before} ` : '1').join(',')}]`;
  });
  return rows.join('\n');
}

test('whatever the bytes, the answer is a file or a SuiteFileProblem', () => {
  const mangled = fc
    .tuple(
      fc.nat(yaml.length),
      fc.nat(20),
      fc.oneof(fc.string(), fc.constantFrom('\n', ': ', '- ', '&a ', '*a', '{', '}', '!', '|')),
    )
    .map(([from, length, put]) => bytes(yaml.slice(0, from) + put + yaml.slice(from + length)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }).map(bytes), mangled), (input) => {
      expect(outcome(input)).not.toBe('something else');
    }),
  );
});

function outcome(input: Uint8Array): string {
  try {
    return readSuiteFile(input).sourceHash;
  } catch (error) {
    return error instanceof SuiteFileProblem ? error.message : 'something else';
  }
}
