import { expect, test } from 'vitest';
import { entriesOf, exchangesOf, type Turn, withoutLive } from './exchanges.ts';

const said = (index: number, role: string, content: unknown) => ({ index, role, content });
const called = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'list', input: { a: 1 } });
const answered = (toolCallId: string, type: string, value: unknown) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'list',
  output: { type, value },
});

test('a result stands with its call, and what is odd stands as it is', () => {
  const [first, second] = exchangesOf([
    said(0, 'user', 'Which?'),
    said(1, 'assistant', [{ type: 'text', text: 'I look.' }, called('1'), called('2'), called('3')]),
    said(2, 'tool', [
      answered('2', 'error-text', 'no'),
      answered('1', 'text', 'yes'),
      answered('9', 'text', '?'),
    ]),
    said(3, 'assistant', 'Two.'),
    said(4, 'user', [{ type: 'text', text: 'And?' }]),
  ]);
  expect(first).toMatchObject({
    said: 'Which?',
    pieces: [
      { kind: 'text', text: 'I look.' },
      { id: '1', state: 'ok', output: 'yes', input: '{\n  "a": 1\n}' },
      { id: '2', state: 'error', output: 'no' },
      { id: '3', state: 'unknown', output: undefined },
      { id: '9', state: 'ok', output: '?' },
      { kind: 'text', text: 'Two.' },
    ],
  });
  expect(second).toEqual({ index: 4, said: 'And?', pieces: [] });
});

test('turns that failed stand between those that left an exchange', () => {
  const exchanges = exchangesOf([said(0, 'user', 'a'), said(1, 'user', 'b'), said(2, 'user', 'c')]);
  const turn = (promptIndex: number, status: Turn['status']) => ({ promptIndex, status }) as Turn;
  const entries = entriesOf(exchanges, [turn(2, 'completed'), turn(0, 'completed'), turn(1, 'failed')]);
  expect(entries.map((entry) => [entry.exchange?.said, entry.turn?.promptIndex])).toEqual([
    ['a', 0],
    [undefined, 1],
    ['b', 2],
    ['c', undefined],
  ]);
});

test('a turn that is shown as it comes is not shown a second time when it is stored', () => {
  const exchanges = exchangesOf([said(0, 'user', 'a'), said(1, 'user', 'a')]);
  const turn = (promptIndex: number) =>
    ({ promptIndex, status: 'completed', turnId: `turn-${promptIndex}` }) as Turn;
  const shown = (turns: Turn[], turnId: string) =>
    withoutLive(entriesOf(exchanges, turns), { turnId, said: 'a' }).map(({ exchange }) => exchange?.index);
  // Listed as a turn; stored but not listed yet; not stored yet.
  expect(shown([turn(0), turn(1)], 'turn-1')).toEqual([0]);
  expect(shown([turn(0)], 'turn-1')).toEqual([0]);
  expect(shown([turn(0), turn(1)], 'turn-2')).toEqual([0, 1]);
});
