import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { providerForTest, routeTo, testKey } from '../../test/support/models.ts';
import type { Reply } from '../../test/support/scripted-provider.ts';
import { type Wire, wires } from './built-in.ts';
import { connectModel } from './connect.ts';
import type { ModelFailure } from './failure.ts';
import { generateStreaming } from './streamed.ts';

const asked = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }] };

/**
 * For each protocol: the header with the key, whether the model is in the path, and the field that contains the
 * settings.
 */
const places: Record<Wire, { key: string; model?: 'path'; settings?: string }> = {
  'openai-chat': { key: 'authorization' },
  'openai-responses': { key: 'authorization' },
  anthropic: { key: 'x-api-key' },
  google: { key: 'x-goog-api-key', model: 'path', settings: 'generationConfig' },
  'azure-chat': { key: 'api-key' },
  'azure-responses': { key: 'api-key' },
  bedrock: { key: 'authorization', model: 'path', settings: 'inferenceConfig' },
};
const limitNames = ['max_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens'];

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
    const { key, model: named } = places[wire];
    expect(request?.headers[key]).toContain(testKey);
    expect(named === 'path' ? request?.path : request?.body.model).toContain('test-model');
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

  test('is not taken to have answered with another shape', async () => {
    const provider = await providerForTest(() => ({ raw: '{"answer":42}' }));
    const model = await connectModel(routeTo(provider, wire));
    const end = await model.doGenerate(asked).then(
      ({ content, finishReason }) => (content.length === 0 ? finishReason.unified : 'answered'),
      ({ kind }: ModelFailure) => kind,
    );
    // Google returns no candidates for a blocked prompt.
    expect(end).toBe(wire === 'google' ? 'other' : 'malformed');
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
    const variables = [
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'AZURE_API_KEY',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ];
    for (const name of variables) vi.stubEnv(name, 'key-of-the-operator');
    const provider = await providerForTest();
    const { credential: _, ...route } = routeTo(provider, wire);
    await (await connectModel(route)).doGenerate(asked);
    expect(JSON.stringify(provider.requests)).not.toContain('key-of-the-operator');
  });

  test('is told the limit of the model where this deployment pays, since that is what is reserved', async () => {
    const provider = await providerForTest();
    const limits = { maxOutputTokens: 500 };
    for (const billed of ['operator', 'own-key'] as const)
      await (await connectModel(routeTo(provider, wire, { limits, billed }))).doGenerate(asked);
    const { settings } = places[wire];
    const told = provider.requests.map(({ body }) => {
      const said = settings === undefined ? body : (body[settings] ?? {});
      return limitNames.map((name) => said[name]).find((value) => value !== undefined);
    });
    expect(told).toEqual([500, wire === 'anthropic' ? 500 : undefined]);
  });

  test('is told what it accepts and no more', async () => {
    const provider = await providerForTest();
    const limits = { maxOutputTokens: 500 };
    const plain = await connectModel(routeTo(provider, wire, { limits, temperature: false }));
    await plain.doGenerate({ ...asked, temperature: 0.3, maxOutputTokens: 900 });
    const warm = await connectModel(routeTo(provider, wire));
    await warm.doGenerate({ ...asked, temperature: 0.3 });
    const { settings } = places[wire];
    const told = provider.requests.map(({ body }) => {
      const said = settings === undefined ? body : (body[settings] ?? {});
      const limit = limitNames.map((name) => said[name]).find((value) => value !== undefined);
      return { temperature: said.temperature, limit, store: body.store };
    });
    const store = wire.endsWith('-responses') ? false : undefined;
    expect(told).toEqual([
      { temperature: undefined, limit: 500, store },
      { temperature: 0.3, limit: wire === 'anthropic' ? 8192 : undefined, store },
    ]);
  });

  test('calls a tool and reads its result', async () => {
    const provider = await providerForTest(({ results }) =>
      results === 0
        ? { text: 'Looking.', toolCalls: [{ name: 'add', input: { a: 1 }, id: 'c1' }] }
        : { text: 'It is 3.' },
    );
    const model = await connectModel(routeTo(provider, wire));
    const tools = [{ type: 'function' as const, name: 'add', inputSchema: { type: 'object' as const } }];
    const first = await model.doGenerate({ ...asked, tools });
    expect(first.finishReason.unified).toBe('tool-calls');
    const call = first.content.find((part) => part.type === 'tool-call');
    expect({ name: call?.toolName, input: JSON.parse(call?.input ?? '') }).toEqual({
      name: 'add',
      input: { a: 1 },
    });
    const { toolCallId = '', toolName = '' } = call ?? {};
    const second = await model.doGenerate({
      tools,
      prompt: [
        ...asked.prompt,
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: { a: 1 } }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: '3' } }],
        },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'It is 3.' }]);
  });

  test.each(['length', 'content-filter'] as const)('says that it was stopped by %s', async (finish) => {
    const provider = await providerForTest(() => ({ text: 'It is', finish }));
    const model = await connectModel(routeTo(provider, wire));
    expect((await model.doGenerate(asked)).finishReason.unified).toBe(finish);
  });
});

test.each(['openai-chat', 'azure-chat', 'google', 'bedrock'] as const)(
  'a model over %s is heard while it writes',
  async (wire) => {
    const reply: Reply = { text: 'Let me add.', toolCalls: [{ name: 'add', input: { a: 1 } }] };
    const provider = await providerForTest(() => reply);
    const collector: string[] = [];
    const reader = { text: (text: string) => void collector.push(text), restart: () => {} };
    const model = await connectModel(routeTo(provider, wire));
    const answer = await generateStreaming(model, asked, reader);
    expect(collector.join('')).toBe('Let me add.');
    expect(answer.content).toMatchObject([
      { type: 'text', text: 'Let me add.' },
      { type: 'tool-call', toolName: 'add', input: '{"a":1}' },
    ]);
    expect(answer.usage).toMatchObject({ inputTokens: { total: 100 }, outputTokens: { total: 20 } });
    expect(provider.requests).toHaveLength(1);
  },
);

test('requests to Bedrock are signed with an access key where the connection has one', async () => {
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'key-of-another-connection');
  const provider = await providerForTest();
  const aws = { region: 'eu-central-1', accessKeyId: 'AKIAEXAMPLE' };
  await (await connectModel(routeTo(provider, 'bedrock', { aws }))).doGenerate(asked);
  const sent = provider.requests[0]?.headers['authorization'];
  expect(sent).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/bedrock\//);
  expect(JSON.stringify(provider.requests)).not.toContain(testKey);
});

test('a date says when to come back', async () => {
  const at = new Date(Date.now() + 90_000).toUTCString();
  const provider = await providerForTest(() => ({ status: 429, retryAfter: at }));
  const model = await connectModel(routeTo(provider));
  const failure = await model.doGenerate(asked).then(undefined, (error: ModelFailure) => error);
  expect((failure as ModelFailure).retryAfterMs).toBeGreaterThan(80_000);
  expect((failure as ModelFailure).retryAfterMs).toBeLessThanOrEqual(90_000);
});
