import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HiddenKey } from './hidden-key.ts';
import { generateStreaming } from './streamed.ts';

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const finish: LanguageModelV3StreamPart = {
  type: 'finish',
  usage,
  finishReason: { unified: 'stop', raw: 'stop' },
};

function saying(...parts: LanguageModelV3StreamPart[]): LanguageModelV3 {
  const stream = new ReadableStream<LanguageModelV3StreamPart>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return { doStream: async () => ({ stream }) } as unknown as LanguageModelV3;
}

test('what is heard in pieces is what would have been said at once', async () => {
  const told: string[] = [];
  const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'add', input: '{"a":1}' };
  const model = saying(
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r1', modelId: 'm1' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { p: { signature: 's' } } },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Let ' },
    { type: 'text-delta', id: 't', delta: 'me add.' },
    { type: 'text-end', id: 't' },
    { type: 'tool-input-start', id: 'c1', toolName: 'add' },
    { type: 'tool-input-delta', id: 'c1', delta: '{"a":1}' },
    { type: 'tool-input-end', id: 'c1' },
    call,
    finish,
  );
  const reader = { text: (text: string) => void told.push(text), restart: () => {} };
  expect(await generateStreaming(model, { prompt: [] }, reader)).toEqual({
    content: [
      { type: 'reasoning', text: 'hm', providerMetadata: { p: { signature: 's' } } },
      { type: 'text', text: 'Let me add.' },
      call,
    ],
    usage,
    finishReason: { unified: 'stop', raw: 'stop' },
    warnings: [],
    response: { id: 'r1', modelId: 'm1' },
  });
  expect(told).toEqual(['Let ', 'me add.']);
});

test('an answer without an end is a failure', async () => {
  const model = saying({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Hal' });
  const reader = { text: () => {}, restart: () => {} };
  await expect(generateStreaming(model, { prompt: [] }, reader)).rejects.toMatchObject({ kind: 'network' });
});

test('a key is hidden wherever the pieces are cut, and nothing else is lost', () => {
  const key = 'sk-aab-aabc';
  const piece = fc.oneof(fc.constant(key), fc.constantFrom('sk-', 'aab', '-aa', 'c', 'x y'), fc.string());
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 8 }), (parts, cuts) => {
      const text = parts.join('');
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const hidden = new HiddenKey(key);
      const told = places.slice(1).map((end, at) => hidden.next(text.slice(places[at], end)));
      expect([...told, hidden.rest()].join('')).toBe(text.replaceAll(key, '[hidden]'));
    }),
  );
});
