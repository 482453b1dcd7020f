import { expect, test } from 'vitest';
import { complete, evidence, tool } from '../../../test/support/evidence.ts';
import { scaled } from '../../../test/support/slowdown.ts';
import { defaultMatchOptions } from '../matching/options.ts';
import type { TrialOutcome } from '../outcome.ts';
import { planSteps, type TrialPlan } from '../plan.ts';
import { withJudgement } from '../scores/judgement.ts';
import { scorecardOf } from '../scores/scorers.ts';
import { verifyChain } from '../stages/verify.ts';
import { gradeTrial } from '../trial.ts';
import { readJudgeAnswer } from './answer.ts';
import { judgeEvidence } from './evidence.ts';
import { judgeLexically } from './lexical.ts';
import { type GoalMeasurement, unmeasured } from './measurement.ts';
import { judgePrompt } from './template.ts';

const conversation = (answer: string, result: unknown = { rusty: [12, 13, 88], ship: 'Albatross' }) => ({
  messages: [
    { role: 'user', content: 'May the Albatross sail?' },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolName: 'inspect', input: { ship: 'Albatross' } }],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolName: 'inspect', output: { type: 'json', value: result } }],
    },
    { role: 'assistant', content: answer },
  ],
});
const task = { title: 'Inspects', isNegative: false };

test.each([
  ['Plates 12, 13 and 88 are rusty.', 1],
  ['Plate 12 is rusty.', 2 / 5],
  ['It is fine.', 0],
])('the offline judge counts the words of %j', (answer, score) => {
  const evidence = judgeEvidence(conversation(answer));
  const { goal } = judgeLexically({ ...task, expectedOutput: 'plates 12, 13, 88: rusty' }, evidence);
  expect(goal).toMatchObject({ status: 'scored', score });
});

test.each([
  ['Plates 12 and 13 of the Albatross are rusty.', []],
  ['Plates 12 and 14 of the Bittern are rusty.', ['14', 'Bittern']],
  ['The captain says "all is well" and has 1,200 men.', ['all is well', '1,200']],
])('the offline judge looks for what %j claims', (answer, unsupportedClaims) => {
  const { groundedness } = judgeLexically(task, judgeEvidence(conversation(answer)));
  expect(groundedness).toMatchObject({ status: 'scored', unsupportedClaims });
});

test.each([
  ['The ship is seaworthy', 'The ship is not seaworthy', 0.5],
  ['The ship is not seaworthy', 'The ship is seaworthy', 0.5],
  ['The ship is not seaworthy', "The ship isn't seaworthy.", 1],
  ['No plate is rusty', 'Every plate is rusty', 0],
  ['No plate is rusty', 'Not one plate is rusty', 1],
  ['It can sail', "It can't sail", 0],
  ['It never sails', 'It sails', 0],
  ['Do not sail. The hull is rusty', 'The hull is rusty, do not sail', 1],
  ['-5 degrees', '5 degrees', 0.5],
  ['12 plates', 'A12 plates', 0.5],
])('the offline judge does not take %j for %j', (expectedOutput, answer, score) => {
  const { goal } = judgeLexically({ ...task, expectedOutput }, judgeEvidence(conversation(answer)));
  expect(goal).toMatchObject({ status: 'scored', score });
});

test.each([
  ['It loads 2 tons.', { id: '12345' }, ['2']],
  ['It loads 12345 tons.', { id: 'A12345' }, ['12345']],
  ['Its name is "rust".', { text: 'crusty' }, ['rust']],
  ['We met Al there.', { name: 'Albatross' }, ['Al']],
  ['It loads 1,200 tons.', { tons: 1200 }, []],
  ['It is -5 degrees.', { degrees: 5 }, ['-5']],
  ['It is 200 m long.', { length: '1,200 m' }, ['200']],
  ['It is 200 m long.', { lengths: [1, 200, 13] }, []],
  ['It is 12 m long.', { length: '12m' }, []],
])('whole words and numbers are looked for: %j in %j', (answer, result, unsupportedClaims) => {
  const { groundedness } = judgeLexically(task, judgeEvidence(conversation(answer, result)));
  expect(groundedness).toMatchObject({ status: 'scored', unsupportedClaims });
});

test('arguments that the model chose do not support its answer', () => {
  const { messages } = conversation('The Albatross loads 4711 tons.');
  const call = { type: 'tool-call', toolName: 'load', input: { tons: 4711 } };
  const invented = { messages: [{ role: 'assistant', content: [call] }, ...messages] };
  const { groundedness } = judgeLexically(task, judgeEvidence(invented));
  expect(groundedness).toMatchObject({ status: 'scored', unsupportedClaims: ['4711'] });
});

test('numbers are found far into a long result', () => {
  const result = `${'rust '.repeat(60_000)} 4711 tons`;
  const { groundedness } = judgeLexically(task, judgeEvidence(conversation('It loads 4711 tons.', result)));
  expect(groundedness).toMatchObject({ status: 'scored', unsupportedClaims: [] });
});

test('an answer without claims is not measured', () => {
  const { groundedness } = judgeLexically(task, judgeEvidence(conversation('Nothing to see.')));
  expect(groundedness).toMatchObject({ status: 'skipped', errorCode: 'no_claims' });
  expect(groundedness).not.toHaveProperty('score');
});

test('without anything to compare with, or an answer, the offline judge says so', () => {
  const { goal } = judgeLexically(task, judgeEvidence(conversation('Fine.')));
  expect(goal).toMatchObject({ status: 'skipped', errorCode: 'nothing_to_compare' });
  const silent = judgeLexically({ ...task, expectedOutput: 'rusty' }, judgeEvidence({ messages: [] }));
  expect(silent).toMatchObject({ goal: { score: 0 }, groundedness: { status: 'skipped' } });
});

test('a missed criterion that is required leaves nothing of a score', () => {
  const criteria = [{ id: 'plates', label: 'plates 12 13 88', required: true }];
  const { goal } = judgeLexically(
    { ...task, expectedOutput: 'rusty', rubric: { criteria } },
    judgeEvidence(conversation('It is rusty.')),
  );
  expect(goal).toMatchObject({ score: 0, rubricHits: [], reason: expect.stringContaining('plates') });
});

test('evidence of any size fits, says what it lacks, and is the same for the same trace', () => {
  const huge = conversation('x'.repeat(300_000), 'y'.repeat(3_000_000));
  huge.messages.push(
    ...Array.from({ length: 3000 }, () => ({ role: 'user', content: 'again '.repeat(100) })),
  );
  const evidence = judgeEvidence(huge);
  expect(evidence.manifest.inputBytes).toBeLessThanOrEqual(100_000);
  expect(evidence.manifest.uncaptured[0]).toMatch(/lines in the middle/);
  expect(judgeEvidence(huge).hash).toBe(evidence.hash);
  expect(judgeEvidence(conversation('a')).hash).not.toBe(judgeEvidence(conversation('b')).hash);
  for (const messages of [
    null,
    5,
    [null, 1, 'x', {}, { role: 5, content: 7 }, { role: 'tool', content: [{}] }],
  ])
    expect(judgeEvidence({ messages })).toMatchObject({ finalAnswer: '', text: '' });
});

test('evidence fits, and is made in time, where the longest lines stand at its ends', () => {
  const ends = Array.from({ length: 2000 }, () => ({ role: 'user', content: '\u0001'.repeat(200) }));
  const middle = Array.from({ length: 300_000 }, () => ({ role: 'user', content: 'a' }));
  const began = performance.now();
  const { text, manifest } = judgeEvidence({ messages: [...ends, ...middle, ...ends] });
  expect(performance.now() - began).toBeLessThan(scaled(10_000));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(96_000);
  const lines = text.split('\n');
  const note = lines.findIndex((line) => line.includes('lines are left out here'));
  expect(note).toBe(Math.floor(lines.length / 2));
  expect(manifest.uncaptured[0]).toBe(`${304_000 - (lines.length - 1)} lines in the middle`);
});

test('words are counted in time, whatever was said', () => {
  const texts = ['1'.repeat(200_000), '0.'.repeat(100_000), 'A '.repeat(100_000), '"a'.repeat(100_000)];
  const began = performance.now();
  for (const text of texts)
    judgeLexically({ ...task, expectedOutput: text }, judgeEvidence(conversation(text)));
  expect(performance.now() - began).toBeLessThan(scaled(10_000));
});

test('nothing that is quoted can close its quotation', () => {
  const { user } = judgePrompt(
    { ...task, title: 'EVIDENCE> <EVIDENCE' },
    judgeEvidence(conversation('x EVIDENCE>')),
  );
  expect(user.match(/<EVIDENCE|EVIDENCE>/g)).toHaveLength(2);
});

const examplePlan: TrialPlan = {
  ...planSteps([{ id: 'p', kind: 'prompt', prompt: 'Where is the ship?' }]),
  isNegative: false,
  match: defaultMatchOptions,
  checks: [{ type: 'responseContains', needle: 'Kiel' }],
  judge: { model: 'test/judge', deterministic: false, passThreshold: 0.7, rule: null },
};
const completedOutcome: TrialOutcome = {
  status: 'completed',
  steps: [],
  evidence: evidence({
    turns: [{ promptIndex: 0, prompt: 'Where is the ship?', finalText: 'In Kiel.' }],
    finalText: 'In Kiel.',
    inventory: complete(tool('find')),
    declarations: complete(tool('find')),
  }),
};

const grounded = '"groundedness": {"score": 1, "unsupportedClaims": []}';
test.each([
  [`{"score": 0.5, "reason": "half", ${grounded}}`, 'scored'],
  [`\`\`\`json\n{"score": 1, "reason": "all", ${grounded}}\n\`\`\``, 'scored'],
  [`Sure! {"score": 1, "reason": "all", ${grounded}}`, 'error'],
  [`{"score": 1.01, "reason": "more", ${grounded}}`, 'error'],
  [`{"score": -0, "reason": "none", ${grounded}}`, 'scored'],
  [`{"score": "1", "reason": "text", ${grounded}}`, 'error'],
  [`{"score": null, "reason": "null", ${grounded}}`, 'error'],
  [`{"score": 1, ${grounded}}`, 'error'],
  [`{"score": 1, "reason": "x", "rubricHits": {"length": 1}, ${grounded}}`, 'error'],
  [`${'`'.repeat(10_000)}${' '.repeat(9_000)}`, 'error'],
])('the answer %.60s is %s', (text, status) => {
  expect(readJudgeAnswer(text, undefined).goal.status).toBe(status);
});

test('what is wrong with one measurement leaves the other', () => {
  const answer = readJudgeAnswer('{"score": 1, "reason": "x", "groundedness": {"score": 2}}', null);
  expect(answer).toMatchObject({ goal: { status: 'scored' }, groundedness: { status: 'error' } });
});

const heard: [string, GoalMeasurement | undefined, 'passed' | 'failed', boolean, string][] = [
  [
    'above its threshold',
    { status: 'scored', score: 0.7, reason: 'ok', rubricHits: [] },
    'passed',
    false,
    'passed',
  ],
  [
    'below its threshold',
    { status: 'scored', score: 0.69, reason: 'no', rubricHits: [] },
    'failed',
    false,
    'failed',
  ],
  [
    'out of range',
    { status: 'scored', score: 7, reason: 'no', rubricHits: [] },
    'failed',
    true,
    'notMeasured',
  ],
  ['in error', unmeasured('error', 'x', 'broken').goal, 'failed', true, 'notMeasured'],
  ['skipped', unmeasured('skipped', 'x', 'nothing').goal, 'failed', true, 'notMeasured'],
  ['not heard', undefined, 'failed', true, 'notMeasured'],
];
test.each(heard)('a deciding judge that is %s', (_, goal, result, evaluatorError, state) => {
  const grade = gradeTrial(examplePlan, completedOutcome);
  expect(grade).toMatchObject({ result: 'passed', evaluatorError: false });
  const before = { status: 'completed', ...grade };
  const after = withJudgement(before, scorecardOf(examplePlan), goal);
  expect(after).toMatchObject({ result, evaluatorError });
  expect(after.stageResults.at(-1)).toMatchObject({ stage: 'userValue', state });
  expect(verifyChain({ ...after, stageAnalyzerVersion: grade.stageAnalyzerVersion }).status).toBe('verified');
  // Applying the same judgement again changes nothing.
  expect(withJudgement(after, scorecardOf(examplePlan), goal)).toBe(after);
});

test('a trial that failed before its judge was heard stays failed where it failed', () => {
  const plan = { ...examplePlan, checks: [{ type: 'toolCalledAtLeastOnce', toolName: 'find' }] };
  const before = { status: 'completed', ...gradeTrial(plan, completedOutcome) };
  const goal: GoalMeasurement = { status: 'scored', score: 1, reason: 'ok', rubricHits: [] };
  const after = withJudgement(before, scorecardOf(plan), goal);
  expect(after).toMatchObject({ result: 'failed', evaluatorError: false, firstFailedStage: 'selection' });
  expect(after.stageResults).toEqual(before.stageResults);
});
