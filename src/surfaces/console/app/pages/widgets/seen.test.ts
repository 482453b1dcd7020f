import { expect, test } from 'vitest';
import { seenOf } from './seen.ts';

test('an answer and a trace are told alike', () => {
  const snapshot = {
    tree: '- button',
    elements: [{ role: { role: 'button', name: 'Add' }, ambiguous: true }],
  };
  const answer = seenOf({
    status: 'blank_screenshot',
    blockedRequests: ['http://x/ (not declared)'],
    toolCalls: [{ toolName: 'scuttle', arguments: {}, error: 'not visible' }],
    timings: { renderMs: 5, totalMs: 9 },
    snapshot,
  });
  const traced = seenOf({
    status: 'blank_screenshot',
    blockedRequests: [{ url: 'http://x/', reason: 'not declared' }],
    toolCalls: [{ toolName: 'scuttle', arguments: {}, error: 'not visible' }],
    renderMs: 5,
    totalMs: 9,
    snapshot,
  });
  expect(traced).toEqual(answer);
  expect(answer).toMatchObject({
    state: 'failed',
    word: 'it stayed blank',
    targets: ['{"role":{"role":"button","name":"Add"},"nth":0}'],
  });
});

test('nothing has to be what it should be', () => {
  for (const odd of [undefined, null, 'x', [], { status: 7, toolCalls: [null], snapshot: { elements: 'x' } }])
    expect(seenOf(odd)).toMatchObject({ state: 'notMeasured', consoleErrors: [], targets: [] });
});
