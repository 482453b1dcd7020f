import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, evidence, toolError } from '../../../test/support/evidence.ts';
import type { Check } from '../../contract/eval-checks.ts';
import { authoringProblem, evaluateCheck, isGating } from './evaluate.ts';

test('whatever a check is, it gets a row', () => {
  const happened = evidence({ toolCalls: [call('find', { city: 'Kiel' })] });
  const typed = fc.record({
    type: fc.constantFrom('toolCalledWith', 'responseMatches', 'toolResultMatchesSchema', 'nothing', 5, null),
    toolName: fc.anything(),
    args: fc.anything(),
    pattern: fc.string(),
    schema: fc.anything(),
  });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), typed), (check) => {
      const row = evaluateCheck(check, happened);
      expect(typeof row.passed).toBe('boolean');
      expect(row.reason.length).toBeGreaterThan(0);
      expect(() => JSON.stringify(row)).not.toThrow();
    }),
  );
});

test.each([
  [{ type: 'nothing' }, 'unknown type "nothing"'],
  [{ type: 'toString' }, 'unknown type "toString"'],
  [{}, 'malformed predicate: it has no type'],
  [null, 'malformed predicate: it has no type'],
  [{ type: 'toolNeverCalled', toolName: ' ' }, 'malformed predicate: toolName'],
  [
    { type: 'toolCalledWith', toolName: 'find', args: { args: {} }, minCount: 0 },
    'malformed predicate: minCount',
  ],
  [{ type: 'responseContains', needle: '' }, 'malformed predicate: needle'],
  [{ type: 'noToolErrors', surplus: 1 }, 'malformed predicate'],
])('%j fails and is explained', (check, reason) => {
  const row = evaluateCheck(check, evidence());
  expect(row).toMatchObject({ passed: false });
  expect(row.status).toBeUndefined();
  expect(row.reason).toContain(reason);
});

test('only the word advisory makes a check one that is merely shown', () => {
  const roles = ['gating', 'required', 'Advisory', 5, undefined];
  for (const role of roles) expect(isGating({ type: 'noToolErrors', role })).toBe(true);
  expect(isGating({ type: 'noToolErrors', role: 'advisory' })).toBe(false);
});

test('a role in an unknown spelling is kept, and does not make a check malformed', () => {
  const check = { type: 'noRepeatedIdenticalCall', role: 'decisive' };
  expect(evaluateCheck(check, evidence())).toMatchObject({ passed: true, predicate: check });
});

test('a check of a turn looks at that turn, and one that cannot looks at all of them', () => {
  const happened = evidence({
    turns: [
      { promptIndex: 0, prompt: 'a', finalText: 'first' },
      { promptIndex: 1, prompt: 'b', finalText: 'second' },
    ],
    finalText: 'second',
    toolCalls: [call('find', {}, { promptIndex: 0 })],
    toolErrors: [toolError('find', 'x', { promptIndex: 0 })],
    usage: { totalTokens: 5 },
  });
  const at = (type: object, promptIndex: number): unknown =>
    evaluateCheck(type, happened, { kind: 'turn', promptIndex });
  const first = { kind: 'turn', promptIndex: 0 };
  expect(at({ type: 'responseContains', needle: 'first' }, 0)).toMatchObject({ passed: true, scope: first });
  expect(at({ type: 'responseContains', needle: 'first' }, 1)).toMatchObject({ passed: false });
  expect(at({ type: 'toolCalledAtLeastOnce', toolName: 'find' }, 0)).toMatchObject({ passed: true });
  expect(at({ type: 'toolCalledAtLeastOnce', toolName: 'find' }, 1)).toMatchObject({ passed: false });
  expect(at({ type: 'noToolErrors' }, 1)).toMatchObject({ passed: true });
  const budget = at({ type: 'tokenBudgetUnder', tokens: 10 }, 1);
  expect(budget).toMatchObject({ passed: true });
  expect(budget).not.toHaveProperty('scope');
});

test('what its key calls secret is neither in the reason nor in the stored check', () => {
  const secret = 'sk-very-secret';
  const args = { apiKey: secret, nested: [{ Authorization: `Bearer ${secret}` }], city: 'Kiel' };
  const happened = evidence({
    toolCalls: [call('find', { ...args, city: 'Bonn' })],
    toolErrors: [toolError('find', `refused: token=${secret}, Authorization: Bearer ${secret}`)],
  });
  const rows = [
    evaluateCheck({ type: 'toolCalledWith', toolName: 'find', args: { args } }, happened),
    evaluateCheck({ type: 'noToolErrors' }, happened),
    evaluateCheck({ type: 'unheard', args }, happened),
  ];
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(rows[0]?.predicate).toMatchObject({ args: { args: { apiKey: '«redacted»', city: 'Kiel' } } });
  expect(rows[0]?.reason).toContain('Bonn');
});

test('what only sounds like a secret in a check is kept', () => {
  const checks = [
    { type: 'tokenBudgetUnder', tokens: 5 },
    { type: 'toolResultMatchesSchema', schema: { properties: { token: { type: 'string' } } } },
  ];
  for (const check of checks) expect(evaluateCheck(check, evidence()).predicate).toEqual(check);
});

test('long and odd texts of others leave a short reason that can be stored', () => {
  const message = `\0${'\ud83d'.repeat(5)}${'🚢'.repeat(2000)}`;
  const { reason } = evaluateCheck(
    { type: 'noToolErrors' },
    evidence({ toolErrors: Array.from({ length: 9 }, (_, at) => toolError(`find${at}`, message)) }),
  );
  expect(reason.length).toBeLessThanOrEqual(600);
  expect(reason.isWellFormed()).toBe(true);
  expect(reason).not.toContain('\0');
  expect(reason).toContain('find0');
});

test.each<[Check, string[] | undefined, string?]>([
  [{ type: 'responseMatches', pattern: '(a+)+$' }, undefined],
  [{ type: 'responseMatches', pattern: '(?<!a)b' }, ['pattern'], 'lookbehind'],
  [{ type: 'responseMatches', pattern: '(?<n>a)\\k<n>' }, ['pattern'], 'backreferences'],
  [{ type: 'responseMatches', pattern: '(a' }, ['pattern'], 'Unterminated group'],
  [{ type: 'responseMatches', pattern: 'a{1000}'.repeat(9) }, ['pattern'], 'repetitions'],
  [{ type: 'toolInputMatches', toolName: 'find', patterns: ['a', '[z-a]'] }, ['patterns', '1'], 'z-a'],
  [{ type: 'toolResultMatches', patterns: ['\\1'] }, ['patterns', '0'], 'backreferences'],
  [{ type: 'toolResultMatchesSchema', schema: { type: 'string' } }, undefined],
  [{ type: 'toolResultMatchesSchema', schema: { type: 'strong' } }, ['schema'], 'not a valid JSON Schema'],
  [{ type: 'toolResultMatchesSchema', schema: { $ref: 'other.json' } }, ['schema'], 'another schema'],
  [{ type: 'toolResultMatchesSchema', schema: { title: 'x'.repeat(16_400) } }, ['schema'], '16 KiB'],
  [{ type: 'toolNeverCalled', toolName: 'find' }, undefined],
])('authoring: %j', (check, path, message) => {
  const problem = authoringProblem(check);
  expect(problem?.path).toEqual(path);
  expect(problem?.message ?? '').toContain(message ?? '');
});
