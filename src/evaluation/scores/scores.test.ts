import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { evaluationConfig, type HashedDefinition, hashed, type ScoreDefinition } from './definition.ts';
import { evaluatorErrors, gate, isIntact } from './gate.ts';
import { notScored, type Score, scored } from './score.ts';

function definition(over: Partial<ScoreDefinition> = {}): HashedDefinition {
  return hashed({
    scorerId: 'a',
    idSource: 'generated',
    scorerVersion: '1',
    implementationHash: 'f00',
    deterministic: true,
    passThreshold: 0.5,
    role: 'gating',
    onError: 'fail',
    onSkipped: 'fail',
    ...over,
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('hashes are those of the canonical JSON of what counts', () => {
  const a = definition({ label: 'not hashed' });
  const b = definition({ scorerId: 'b', scope: { kind: 'turn', promptIndex: 1 }, model: 'm' });
  const textOfA =
    '{"deterministic":true,"idSource":"generated","implementationHash":"f00","onError":"fail","onSkipped":"fail","passThreshold":0.5,"role":"gating","scorerId":"a","scorerVersion":"1"}';
  const textOfB =
    '{"deterministic":true,"idSource":"generated","implementationHash":"f00","model":"m","onError":"fail","onSkipped":"fail","passThreshold":0.5,"role":"gating","scope":{"kind":"turn","promptIndex":1},"scorerId":"b","scorerVersion":"1"}';
  expect(a.hash).toBe(sha256(textOfA));
  expect(b.hash).toBe(sha256(textOfB));
  expect(evaluationConfig([b, a]).hash).toBe(sha256(`[${textOfB},${textOfA}]`));
  expect(evaluationConfig([a, b]).hash).toBe(evaluationConfig([b, a, definition()]).hash);
});

test('one id for two different scorers is refused', () => {
  expect(() => evaluationConfig([definition(), definition({ role: 'advisory' })])).toThrow('ID a');
});

test.each([-0.1, 1.1, Number.NaN, '0.5', null])(
  'a value of %j is an error, not moved into range',
  (value) => {
    const score = scored(definition(), value, 'because');
    expect(score).toMatchObject({ status: 'error' });
    expect(score).not.toHaveProperty('value');
  },
);

test('texts of a score are cut', () => {
  const score = scored(
    definition(),
    1,
    'x'.repeat(3000),
    Array.from({ length: 30 }, () => 'y'.repeat(400)),
  );
  expect(score.rationale).toHaveLength(2000);
  expect(score.evidence).toHaveLength(20);
  expect(score.evidence?.[0]).toHaveLength(300);
  expect(notScored(definition(), 'error', 'x'.repeat(600)).error).toHaveLength(500);
});

const own = definition({ label: 'Own' });
const lenient = definition({ onError: 'ignore', onSkipped: 'ignore' });
const yes = scored(own, 0.5, 'at the threshold');
const no = scored(own, 0.4, 'below');
const error = notScored(own, 'error', 'broke');
const skipped = notScored(own, 'skipped', 'was not asked');
const inapplicable = notScored(own, 'not_applicable', 'has no bearing');

test.each<[string, HashedDefinition, Score[], boolean, string[]]>([
  ['passed', own, [yes], true, []],
  ['failed', own, [no], false, []],
  ['one of two failed', own, [yes, no], false, []],
  ['no rows', own, [], false, ['Own was not scored']],
  ['not applicable', own, [inapplicable], true, []],
  ['error', own, [error], false, ['Own: broke']],
  ['skipped', own, [skipped], false, ['Own was skipped']],
  ['failed and error', own, [no, error], false, ['Own: broke']],
  ['error, to be ignored', lenient, [notScored(lenient, 'error', 'broke')], true, []],
  ['skipped, to be ignored', lenient, [notScored(lenient, 'skipped', 'broke')], true, []],
  ['no rows, to be ignored', lenient, [], false, []],
  ['advisory and failed', definition({ role: 'advisory' }), [], true, []],
])('%s', (_title, only, scores, passed, errors) => {
  expect(gate([only], scores).passed).toBe(passed);
  expect(evaluatorErrors([only], scores)).toEqual(errors);
});

test('the gate names what stands in the way', () => {
  const other = definition({ scorerId: 'b' });
  expect(gate([own, other], [no])).toEqual({
    passed: false,
    failed: ['a'],
    unresolved: ['b'],
  });
});

test.each<[string, (config: ReturnType<typeof evaluationConfig>, score: Score) => void]>([
  ['another hash of all', (config) => (config.hash = 'x')],
  [
    'a definition that was changed',
    (config) => Object.assign(config.definitions[0] ?? {}, { role: 'advisory' }),
  ],
  ['an id twice', (config) => config.definitions.push(definition({ passThreshold: 1 }).definition)],
  ['a score of no definition', (_config, score) => (score.definitionHash = 'x')],
  ['another threshold', (_config, score) => (score.passThreshold = 0.1)],
  ['a result that its value denies', (_config, score) => (score.passed = false)],
  ['a value out of range', (_config, score) => (score.value = 2)],
  ['a value without a score', (_config, score) => (score.status = 'error')],
])('scores are put aside: %s', (_title, spoil) => {
  const config = structuredClone(evaluationConfig([own]));
  const score = structuredClone(yes);
  expect(isIntact(config, [score])).toBe(true);
  spoil(config, score);
  expect(isIntact(config, [score])).toBe(false);
});
