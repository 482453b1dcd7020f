import { expect, test } from 'vitest';
import { defaultMatchOptions } from '../matching/options.ts';
import { planSteps, type TrialPlan } from '../plan.ts';
import { gradeTrial } from '../trial.ts';
import { backtestTrial } from './backtest.ts';
import { evidenceOfTrace } from './rebuild.ts';

const call = (toolCallId: string, toolName: string, input: object) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
});
const text = (said: string) => ({ type: 'text', text: said });
const refused = { type: 'error-text', value: 'There is no tool of this name' };
const frame = (toolCallId: string, over: object) => ({
  toolCallId,
  serverId: 's',
  startMs: 1,
  endMs: 5,
  ...over,
});
const shown = (toolName: string, args: object = {}) => ({ toolName, arguments: args });

/** Two prompts with a pinned call of the case between them; call IDs repeat, one call was not sent and one failed. */
const trace = {
  messages: [
    { role: 'user', content: 'Find it.' },
    { role: 'assistant', content: [text('Looking. '), call('1', 'find', { a: 1 }), call('2', 'sink', {})] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: '2', output: refused }] },
    { role: 'assistant', content: [text('It is '), text('in Kiel.')] },
    { role: 'assistant', content: [call('pinned-1', 'ping', {})] },
    { role: 'tool', content: [] },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: [call('1', 'find', { a: 2 })] },
    { role: 'tool', content: [] },
    { role: 'assistant', content: 'Gone.' },
  ],
  prompts: [
    { promptIndex: 0, prompt: 'Find it.', actualToolCalls: [shown('find', { a: 1 }), shown('sink')] },
    { promptIndex: 1, actualToolCalls: [shown('ping')] },
    { promptIndex: 2, prompt: 'And now?', actualToolCalls: [shown('find', { a: 2 })] },
  ],
  frames: [
    frame('1', { result: { content: [{ type: 'text', text: '{"city": "Kiel"}' }] }, bytes: 50 }),
    frame('pinned-1', { error: { code: -32000, message: 'closed' } }),
    frame('1', { result: { content: [text('gone')], isError: true }, bytes: 9 }),
  ],
};

test('what a trial left behind is put together again from its trace', () => {
  expect(evidenceOfTrace(trace, { totalTokens: 7 })).toMatchObject({
    turns: [
      { promptIndex: 0, prompt: 'Find it.', finalText: 'It is in Kiel.' },
      { promptIndex: 1, finalText: '' },
      { promptIndex: 2, prompt: 'And now?', finalText: 'Gone.' },
    ],
    finalText: 'Gone.',
    turnCount: 2,
    toolCalls: [
      { toolName: 'find', promptIndex: 0, serverId: 's' },
      { toolName: 'sink', invalid: 'There is no tool of this name' },
      { toolName: 'ping', promptIndex: 1 },
      { toolName: 'find', promptIndex: 2, arguments: { a: 2 } },
    ],
    toolErrors: [
      { toolName: 'sink', kind: 'protocol' },
      { toolName: 'ping', kind: 'protocol', code: -32000 },
      { toolName: 'find', kind: 'content', message: 'gone' },
    ],
    toolResults: {
      state: 'complete',
      items: [{ json: { city: 'Kiel' }, bytes: 50, whole: true }, { text: 'gone' }],
    },
    timings: { items: [{ ms: 4 }, { ms: 4 }, { ms: 4 }] },
    declarations: { state: 'absent' },
    usage: { totalTokens: 7 },
  });
});

test.each<[string, object]>([
  ['that is no trace', { messages: 'x' }],
  ['without frames', { ...trace, frames: undefined }],
  ['with a frame too many', { ...trace, frames: [...trace.frames, frame('9', { result: {} })] }],
  ['with a frame too few', { ...trace, frames: trace.frames.slice(1) }],
  ['with a turn too few', { ...trace, prompts: trace.prompts.slice(1) }],
  [
    'whose result was cut',
    { ...trace, frames: [frame('1', { result: { cut: true, bytes: 9 } }), ...trace.frames.slice(1)] },
  ],
])('a trace %s gives no evidence', (_, given) => {
  expect(evidenceOfTrace(given, undefined)).toBeUndefined();
});

test('a trial is compared only where its evidence gives what it gave then', () => {
  const steps = planSteps([{ id: 'p', kind: 'prompt', prompt: 'Find it.' }]);
  const frozen: TrialPlan = {
    ...steps,
    isNegative: false,
    match: defaultMatchOptions,
    checks: [],
    failOnToolError: false,
  };
  const one = {
    messages: trace.messages.slice(0, 4),
    prompts: trace.prompts.slice(0, 1),
    frames: trace.frames.slice(0, 1),
  };
  const evidence = evidenceOfTrace(one, undefined);
  if (!evidence) throw new Error('no evidence');
  const grade = gradeTrial(frozen, { status: 'completed', evidence, steps: [] });
  const recorded = {
    status: 'completed',
    evaluatorError: false,
    trace: one,
    usage: undefined,
    steps: [],
    rows: [],
    scores: grade.scores,
  };
  const draft = { ...frozen, checks: [{ type: 'responseContains', needle: 'Lübeck' }] };
  expect(backtestTrial(frozen, draft, { ...recorded, result: 'passed' })).toMatchObject({
    outcome: 'flipped',
    after: 'failed',
  });
  expect(backtestTrial(frozen, frozen, { ...recorded, result: 'passed' })).toMatchObject({ outcome: 'same' });
  for (const over of [
    { result: 'failed' as const },
    { result: null },
    { result: 'passed' as const, trace: undefined },
  ])
    expect(backtestTrial(frozen, draft, { ...recorded, ...over })).toMatchObject({ outcome: 'ungradable' });
});
