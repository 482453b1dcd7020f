import { expect, test } from 'vitest';
import { bodyOf, draftOf, problemsIn } from './settings-body.ts';
import type { Suite } from './suite-labels.ts';

const suite = {
  name: 'Ships',
  description: null,
  environment: { servers: ['harbour'] },
  executionConfig: { model: 'drydock/rehearsal' },
  settings: {
    policy: 'v2',
    minimumAccuracy: null,
    verdictPolicyDefaults: { repetitions: 5, passThreshold: 0.29 },
    judge: { enabled: false, model: null, autoRun: false, threshold: 0.7 },
    qualityGate: { maximumPassRateDrop: 0.07, baseline: { kind: 'commit_sha', commitSha: 'abc' } },
  },
} as unknown as Suite;
const draft = draftOf(suite);

test('what is not touched is not sent', () => {
  expect(bodyOf(suite, draft)).toEqual({});
  expect(draft).toMatchObject({ threshold: '29', drop: '7', against: 'commit', baseline: 'abc' });
  expect(problemsIn(draft, draft)).toEqual({});
});

test.each<[string, Partial<typeof draft>, object]>([
  ['words', { name: ' Boats ', description: 'All' }, { name: 'Boats', description: 'All' }],
  ['a threshold', { threshold: '57' }, { settings: { passThreshold: 0.57 } }],
  ['no condition left', { drop: '' }, { settings: { qualityGate: null } }],
  [
    'another baseline',
    { against: 'before', noScoreErrors: true },
    {
      settings: {
        qualityGate: {
          maximumPassRateDrop: 0.07,
          noGatingScoreErrors: true,
          baseline: { kind: 'previous' },
        },
      },
    },
  ],
  [
    'a branch',
    { against: 'branch', baseline: ' main ' },
    {
      settings: { qualityGate: { maximumPassRateDrop: 0.07, baseline: { kind: 'branch', branch: 'main' } } },
    },
  ],
  ['a judge', { judged: true, judgeModel: 'm/1' }, { settings: { judge: { enabled: true, model: 'm/1' } } }],
  [
    'the model',
    { model: 'm/2', temperature: '0.5' },
    { executionConfig: { model: 'm/2', temperature: 0.5 } },
  ],
])('%s', (_, changes, body) => expect(bodyOf(suite, { ...draft, ...changes })).toEqual(body));

test('a field says what is wrong with it', () => {
  const wrong = {
    ...draft,
    name: ' ',
    trials: '2.5',
    temperature: '3',
    drop: 'x',
    slowerMs: '-1',
    baseline: '',
  };
  expect(Object.keys(problemsIn(wrong, draft)).sort()).toEqual([
    'baseline',
    'drop',
    'name',
    'slowerMs',
    'temperature',
    'trials',
  ]);
});

test('a temperature that is set cannot be taken away, which is said', () => {
  expect(problemsIn({ ...draft, temperature: '' }, { ...draft, temperature: '1' })).toEqual({
    temperature: expect.stringContaining('but not removed'),
  });
});
