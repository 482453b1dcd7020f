import { expect, test } from 'vitest';
import { caseText, checkText, openingOf } from './check-labels.ts';
import { checkSchemas } from './editor/schemas.ts';

test.each([
  [
    { type: 'toolCalledWith', toolName: 'forecast', args: { args: { city: 'Bremen', days: 3 } } },
    'calls forecast with city Bremen, days 3',
  ],
  [{ type: 'toolCallCountUnder', count: 4 }, 'makes fewer than 4 calls'],
  [
    { type: 'toolLatencyUnder', ms: 1500, toolName: 'forecast' },
    'gets every result from forecast in less than 1.5 s',
  ],
  [{ type: 'onlyToolsCalled', toolNames: ['a', 'b'] }, 'calls only a, b'],
  [{ type: 'onlyToolsCalled', toolNames: [] }, 'calls no tool'],
  [{ type: 'noToolErrors', role: 'advisory' }, 'gets no tool errors (advisory)'],
  [{ kind: 'textVisible', toolName: 'map', text: 'Hi' }, 'shows “Hi” in the widget of map'],
  [{ type: 'someNewKind', what: 1 }, 'some new kind'],
  [{}, 'check'],
])('%j', (check, words) => {
  expect(checkText(check)).toBe(words);
});

test('every kind of check of the contract has words of its own', () => {
  const without = Object.keys(checkSchemas).filter((type) => {
    const plain = type.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
    return checkText({ type }) === plain;
  });
  expect(without).toEqual([]);
});

test('a case is its steps, then its own checks', () => {
  const steps = [
    { id: '1', kind: 'prompt', prompt: 'Hello' },
    { id: '2', kind: 'assert', assertion: { type: 'responseContains', needle: 'Hi' } },
    { id: '3', kind: 'prompt', prompt: 'Bye' },
  ];
  const checks = { mode: 'replace', list: [{ type: 'noEndingQuestion' }] };
  expect(caseText({ isNegative: false, steps, checks })).toEqual([
    'says “Hi”',
    'ends without a question',
    'without the suite checks',
  ]);
  expect(openingOf(steps)).toEqual({ text: 'Hello', turns: 2 });
});
