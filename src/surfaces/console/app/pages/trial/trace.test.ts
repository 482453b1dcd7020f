import { expect, test } from 'vitest';
import { answerOfTurn, messageOfSpan, messagesOf, type Span, spansOf, type Trace } from './trace.ts';

const trace: Trace = {
  traceVersion: 1,
  messages: [
    { role: 'user', content: 'List ships' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'list', input: {} }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'list',
          output: { type: 'text', value: '{"a":1}' },
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Three' }] },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: 'None' },
  ],
  spans: [
    { id: 's2', category: 'step', name: 'Step 2', startMs: 20, endMs: 25 },
    { id: 's2l', parentId: 's2', category: 'llm', name: 'm', startMs: 20, endMs: 25 },
    { id: 's1', category: 'step', name: 'Step 1', startMs: 0, endMs: 11 },
    { id: 't1', parentId: 's1', category: 'tool', name: 'list', startMs: 1, endMs: 11, toolCallId: 'c1' },
    { id: 's1l', parentId: 's1', category: 'llm', name: 'm', startMs: 0, endMs: 1 },
    { id: 'odd' },
    { id: 'loop', parentId: 'loop', startMs: 30 },
  ],
};
const spans = spansOf(trace);
const messages = messagesOf(trace);
const span = (id: string): Span => spans.find((one) => one.id === id) as Span;

test('spans come in the order of time, inside behind around; what cannot be placed is left out', () => {
  expect(spans.map(({ id, depth }) => [id, depth])).toEqual([
    ['s1', 0],
    ['s1l', 1],
    ['t1', 1],
    ['s2', 0],
    ['s2l', 1],
    ['loop', 6],
  ]);
});

test('a span leads to what it made in the conversation', () => {
  const made = ['s1', 's1l', 't1', 's2', 's2l', 'loop'].map((id) => messageOfSpan(span(id), spans, messages));
  expect(made).toEqual([1, 1, 2, 3, 3, undefined]);
});

test('a check of a turn reads the last answer in it', () => {
  expect([0, 1, undefined, 7].map((turn) => answerOfTurn(messages, turn))).toEqual([3, 5, 5, undefined]);
});

test('results are text, with JSON made readable', () => {
  expect(messages[2]?.parts).toEqual([
    { kind: 'result', text: '{\n  "a": 1\n}', tool: 'list', toolCallId: 'c1', failed: false },
  ]);
});

test('nothing in a trace has to be what it should be', () => {
  const odd = {
    traceVersion: 1,
    messages: [
      null,
      7,
      { role: {}, content: [null, 'a', { type: 'tool-result', output: 'b' }] },
      { content: null },
    ],
    spans: [null, 'span', { id: 3 }, { id: 'a', startMs: Number.NaN }, { id: 'b', startMs: -2, endMs: 'x' }],
  } as unknown as Trace;
  expect(spansOf(odd)).toMatchObject([{ id: 'b', start: -2, end: -2 }]);
  expect(messagesOf(odd).map(({ role, parts }) => [role, parts.length])).toEqual([
    ['unknown', 0],
    ['unknown', 0],
    ['unknown', 3],
    ['unknown', 0],
  ]);
  expect(messagesOf({ traceVersion: 1 } as Trace)).toEqual([]);
  const [message] = messagesOf({
    messages: [
      { role: 'user', content: Array.from({ length: 500 }, () => ({ type: 'x', x: 'y'.repeat(50_000) })) },
    ],
  });
  expect(message?.parts).toHaveLength(101);
  expect(message?.parts[0]?.text.length).toBeLessThan(21_000);
});
