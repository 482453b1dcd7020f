import { expect, test } from 'vitest';
import type { Output } from '../../../../client/index.ts';
import { afterEvent, isOpen, needsNewKey, sent, waitAfter } from './turn-state.ts';

type Event = Output<'streamChatMessage'>;

const body = { idempotencyKey: 'k', message: 'Which?' };
const after = (...events: Event[]) => events.reduce(afterEvent, sent(body));
const started: Event = { type: 'turn.started', sessionId: 'chat_1', turnId: 'turn_1', at: 1 };
const call: Event = { type: 'tool.started', toolCallId: '1', toolName: 'list', input: { a: 1 } };
const ended = (more: object): Event => ({
  type: 'turn.ended',
  turn: {
    sessionId: 'chat_1',
    turnId: 'turn_1',
    projectId: 'prj_1',
    persisted: { outcome: 'stored', version: 1 },
    origin: 'api',
    ...more,
  },
});

test('text grows, a call gets its state, and what is begun anew forgets only what came since', () => {
  const turn = after(
    started,
    { type: 'text', text: 'I ' },
    { type: 'text', text: 'look.' },
    call,
    { type: 'tool.ended', toolCallId: '1', toolName: 'list', status: 'error', durationMs: 7 },
    { type: 'text', text: 'Wrong' },
    { type: 'text.restarted' },
    { type: 'text', text: 'Right.' },
  );
  expect(turn).toMatchObject({ state: 'running', sessionId: 'chat_1', turnId: 'turn_1' });
  expect(turn.pieces).toMatchObject([
    { text: 'I look.' },
    { tool: 'list', state: 'error', durationMs: 7, output: undefined },
    { text: 'Right.' },
  ]);
  const toolCalls = [{ toolCallId: '1', toolName: 'list', input: {}, status: 'error', errorMessage: 'no' }];
  expect(afterEvent(turn, ended({ toolCalls })).pieces[1]).toMatchObject({ output: 'no', durationMs: 7 });
});

test('a turn that came to nothing is sent under a new key, one that is held up waits', () => {
  const failed = (reason: string, more: object = {}) =>
    after({ type: 'turn.failed', code: 'CONFLICT', message: 'no', details: { reason, ...more } });
  expect(isOpen(failed('TURN_FAILED'))).toBe(false);
  expect(needsNewKey(failed('TURN_FAILED'))).toBe(true);
  expect(needsNewKey(failed('SERVER_UNAVAILABLE'))).toBe(false);
  expect(waitAfter(failed('TURN_IN_PROGRESS', { retryAfterMs: 700 }).error)).toBe(700);
  expect(waitAfter(failed('TURN_IN_PROGRESS', { retryAfterMs: 1e9 }).error)).toBe(5_000);
  expect(waitAfter(failed('TURN_FAILED').error)).toBeUndefined();
});
