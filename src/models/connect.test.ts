import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { providerForTest, routeTo, testKey } from '../../test/support/models.ts';
import type { Reply } from '../../test/support/scripted-provider.ts';
import { connectModel } from './connect.ts';
import type { ModelFailure } from './failure.ts';

const wires = ['openai-chat', 'openai-responses', 'anthropic'] as const;
const asked = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }] };

afterEach(() => vi.unstubAllEnvs());

describe.each(wires)('a model over %s', (wire) => {
  async function failureFor(reply: Reply): Promise<ModelFailure> {
    const provider = await providerForTest(() => reply);
    const model = await connectModel(routeTo(provider, wire));
    return model.doGenerate(asked).then(
      () => expect.unreachable('it answered'),
      (error: ModelFailure) => error,
    );
  }

  test('answers, and is asked with its key once', async () => {
    const provider = await providerForTest(() => ({
      text: 'Hi.',
      usage: { input: 7, output: 2, cacheRead: 3 },
    }));
    const model = await connectModel(routeTo(provider, wire));
    const { content, usage, finishReason } = await model.doGenerate(asked);
    expect(content).toMatchObject([{ type: 'text', text: 'Hi.' }]);
    expect(usage).toMatchObject({ inputTokens: { total: 7, cacheRead: 3 }, outputTokens: { total: 2 } });
    expect(finishReason.unified).toBe('stop');
    expect(provider.requests).toHaveLength(1);
    const [request] = provider.requests;
    const key = request?.headers[wire === 'anthropic' ? 'x-api-key' : 'authorization'];
    expect(key).toContain(testKey);
    expect(request?.body.model).toBe('test-model');
  });

  test('uses its connection again', async () => {
    const provider = await providerForTest();
    const model = await connectModel(routeTo(provider, wire));
    for (let n = 0; n < 5; n++) await model.doGenerate(asked);
    expect(provider.connections).toBeLessThan(5);
  });

  test.each<[string, Reply, object]>([
    ['429', { status: 429, retryAfter: '61' }, { kind: 'rate-limited', status: 429, retryAfterMs: 61_000 }],
    [
      '429 to the millisecond',
      { status: 429, headers: { 'retry-after-ms': '1500' } },
      { retryAfterMs: 1500 },
    ],
    [
      '429 with rubbish',
      { status: 429, retryAfter: 'soon' },
      { kind: 'rate-limited', retryAfterMs: undefined },
    ],
    ['an empty account', { status: 429, text: 'You exceeded your current quota' }, { kind: 'quota' }],
    [
      'an empty account, said differently',
      { status: 400, text: 'Your credit balance is too low' },
      { kind: 'quota' },
    ],
    ['402', { status: 402 }, { kind: 'quota' }],
    ['401', { status: 401 }, { kind: 'unauthorized' }],
    ['403', { status: 403 }, { kind: 'unauthorized' }],
    ['400', { status: 400, text: 'no such field' }, { kind: 'bad-request', message: /no such field/ }],
    ['404', { status: 404 }, { kind: 'bad-request' }],
    ['413', { status: 413 }, { kind: 'too-large' }],
    ['500', { status: 500 }, { kind: 'overloaded' }],
    ['529', { status: 529, retryAfter: '2' }, { kind: 'overloaded', retryAfterMs: 2000 }],
    ['an empty refusal', { status: 502, raw: '' }, { kind: 'overloaded' }],
    ['a page', { raw: '<html>Welcome</html>' }, { kind: 'malformed' }],
    ['another shape', { raw: '{"answer":42}' }, { kind: 'malformed' }],
    ['half an answer', { text: 'x'.repeat(5000), cut: true }, { kind: 'network' }],
    ['half a refusal', { status: 500, text: 'x'.repeat(5000), cut: true }, { kind: 'network' }],
    ['a packed answer', { text: 'x', headers: { 'content-encoding': 'gzip' } }, { kind: 'malformed' }],
    ['too much', { text: 'x'.repeat(17 << 20) }, { kind: 'too-large', message: /16 MiB/ }],
  ])('fails with %s', async (_, reply, expected) => {
    const { message, ...wanted } = expected as { message?: RegExp };
    const failure = await failureFor(reply);
    expect(failure).toMatchObject({ name: 'ModelFailure', ...wanted });
    expect(failure.message).toMatch(message ?? /\w/);
  });

  test('never shows a key, however the provider quotes it', async () => {
    const quoted = `Incorrect key ${testKey}, sk-proj-abcdef****wxyz, Bearer abc.def or ${encodeURIComponent(testKey)}`;
    for (const status of [400, 401, 429, 500]) {
      const failure = await failureFor({ status, text: `${quoted} ${'long '.repeat(500)}` });
      const everywhere = `${inspect(failure, { depth: 9, showHidden: true })} ${JSON.stringify(failure)}`;
      expect(everywhere).not.toContain(testKey);
      expect(everywhere).not.toContain('sk-proj');
      expect(everywhere).not.toContain('abc.def');
      expect(failure.cause).toBeUndefined();
      expect(failure.message.length).toBeLessThanOrEqual(600);
    }
  });

  test('cannot be reached where nothing listens', async () => {
    const provider = await providerForTest();
    await provider.close();
    const model = await connectModel(routeTo(provider, wire));
    await expect(model.doGenerate(asked)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('does not follow a redirect with its key', async () => {
    const elsewhere = await providerForTest();
    const failure = await failureFor({ status: 307, headers: { location: `${elsewhere.url}/messages` } });
    expect(failure).toMatchObject({ kind: 'bad-request' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('is given up when the signal aborts', async () => {
    const stop = new AbortController();
    const provider = await providerForTest(() => {
      stop.abort();
      return { silent: true };
    });
    const model = await connectModel(routeTo(provider, wire));
    await expect(model.doGenerate({ ...asked, abortSignal: stop.signal })).rejects.toMatchObject({
      kind: 'aborted',
    });
  });

  test('without a key of its own is not asked with one of the environment', async () => {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])
      vi.stubEnv(name, 'key-of-the-operator');
    const provider = await providerForTest();
    const { credential: _, ...route } = routeTo(provider, wire);
    await (await connectModel(route)).doGenerate(asked);
    expect(JSON.stringify(provider.requests)).not.toContain('key-of-the-operator');
  });

  test('is told what it accepts and no more', async () => {
    const provider = await providerForTest();
    const limits = { maxOutputTokens: 500 };
    const plain = await connectModel(routeTo(provider, wire, { limits, temperature: false }));
    await plain.doGenerate({ ...asked, temperature: 0.3, maxOutputTokens: 900 });
    const warm = await connectModel(routeTo(provider, wire));
    await warm.doGenerate({ ...asked, temperature: 0.3 });
    const [first, second] = provider.requests.map(({ body }) => body);
    expect(first.temperature).toBeUndefined();
    expect(first.max_tokens ?? first.max_output_tokens).toBe(500);
    expect(second.temperature).toBe(0.3);
    expect(second.max_tokens ?? second.max_output_tokens).toBe(wire === 'anthropic' ? 8192 : undefined);
    expect(second.store).toBe(wire === 'openai-responses' ? false : undefined);
  });
});

test('a date says when to come back', async () => {
  const at = new Date(Date.now() + 90_000).toUTCString();
  const provider = await providerForTest(() => ({ status: 429, retryAfter: at }));
  const model = await connectModel(routeTo(provider));
  const failure = await model.doGenerate(asked).then(undefined, (error: ModelFailure) => error);
  expect((failure as ModelFailure).retryAfterMs).toBeGreaterThan(80_000);
  expect((failure as ModelFailure).retryAfterMs).toBeLessThanOrEqual(90_000);
});
