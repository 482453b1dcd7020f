import { describe, expect, test } from 'vitest';
import { callable, providerForTest, routeTo } from '../../test/support/models.ts';
import {
  callThenAnswer,
  type Reply,
  type Script,
  type ScriptedProvider,
} from '../../test/support/scripted-provider.ts';
import { connectModel } from './connect.ts';
import { ModelFailure } from './failure.ts';
import {
  runTurn,
  type ToolAnswer,
  type ToolRequest,
  type TurnCall,
  type TurnFinish,
  type TurnOptions,
  type TurnStep,
} from './turn.ts';

const wires = ['openai-chat', 'openai-responses', 'anthropic'] as const;

const tools = [
  {
    name: 'list_ships',
    description: 'List ships.',
    inputSchema: { type: 'object', properties: { limit: { type: 'integer' } } },
  },
  { name: 'sink', inputSchema: {} },
];

interface Answer extends ToolAnswer {
  told: ToolRequest;
}

const answering = (told: ToolRequest): Promise<Answer> =>
  Promise.resolve({ output: { type: 'text', value: 'Albatross' }, isError: false, told });

/** Runs a turn with a scripted provider over one wire. `wrap` may repeat an attempt. */
async function turn(
  script: Script,
  { wrap, ...changes }: Partial<TurnOptions<Answer>> & { wrap?: Parameters<typeof callable>[2] } = {},
  wire: (typeof wires)[number] = 'openai-chat',
) {
  const provider = await providerForTest(script);
  const model = await connectModel(routeTo(provider, wire));
  let now = 0;
  const clock = (): number => now++;
  const outcome = await runTurn<Answer>({
    model: callable(model, clock, wrap),
    history: [{ role: 'user', content: 'Which ships are there?' }],
    tools,
    callTool: answering,
    signal: new AbortController().signal,
    clock,
    ...changes,
  });
  return { outcome, provider };
}

/** Returns the replies in order, then repeats the last one. */
function replies(...list: Reply[]): Script {
  return ({ call }) => list[Math.min(call, list.length - 1)] ?? {};
}

/** The messages of the last request. */
function lastMessages({ requests }: ScriptedProvider) {
  return requests.at(-1)?.body.messages;
}

describe.each(wires)('a turn over %s', (wire) => {
  test('calls a tool, tells the result and ends with the answer', async () => {
    const script = callThenAnswer({ name: 'list_ships', input: { limit: 2 }, id: 'call_a' }, 'One ship.');
    const { outcome, provider } = await turn(script, { system: 'Be brief.' }, wire);
    expect(outcome).toMatchObject({
      finish: 'stop',
      text: 'One ship.',
      usage: { inputTokens: 200, outputTokens: 40 },
    });
    expect(outcome.messages).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_a', toolName: 'list_ships', input: { limit: 2 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_a',
            toolName: 'list_ships',
            output: { type: 'text', value: 'Albatross' },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'One ship.' }] },
    ]);
    const [step] = outcome.steps;
    expect(step).toMatchObject({
      attempts: 1,
      finish: { unified: 'tool-calls' },
      usage: { inputTokens: 100, outputTokens: 20 },
      calls: [{ id: 'call_a', rawInput: '{"limit":2}', answer: { told: { input: { limit: 2 } } } }],
    });
    expect(step?.responseId).toBeTruthy();
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('Albatross');
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('Be brief.');
  });

  test('goes on from the history of an earlier one', async () => {
    const first = await turn(callThenAnswer({ name: 'list_ships', input: {} }, 'One ship.'), {}, wire);
    const history = [
      { role: 'user' as const, content: 'Which ships are there?' },
      ...first.outcome.messages,
      { role: 'user' as const, content: 'And then?' },
    ];
    const { outcome, provider } = await turn(() => ({ text: 'Nothing.' }), { history }, wire);
    expect(outcome).toMatchObject({ finish: 'stop', text: 'Nothing.' });
    const sent = JSON.stringify(provider.requests[0]?.body);
    for (const part of ['Which ships', 'list_ships', 'Albatross', 'One ship.', 'And then?'])
      expect(sent).toContain(part);
  });

  test.each(['length', 'content-filter'] as const satisfies TurnFinish[])(
    'that ends with %s makes no calls',
    async (finish) => {
      let called = 0;
      const callTool = (request: ToolRequest): Promise<Answer> => {
        called++;
        return answering(request);
      };
      const { outcome } = await turn(
        () => ({ text: 'Half a', toolCalls: [{ name: 'list_ships', input: {} }], finish }),
        { callTool },
        wire,
      );
      expect(outcome).toMatchObject({ finish, text: 'Half a' });
      expect(outcome.steps[0]?.calls).toHaveLength(1);
      expect(outcome.messages).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Half a' }] }]);
      expect(called).toBe(0);
    },
  );

  test('an error at a late step keeps the earlier ones', async () => {
    const { outcome } = await turn(
      replies({ toolCalls: [{ name: 'list_ships', input: {} }] }, { status: 500 }),
      {},
      wire,
    );
    expect(outcome).toMatchObject({ finish: 'error', error: { kind: 'overloaded' } });
    expect(outcome.steps).toHaveLength(1);
    expect(outcome.messages).toHaveLength(2);
  });
});

describe('arguments that cannot be used', () => {
  test.each<[string, string, { reason: string }, string]>([
    ['are no JSON', '{"limit": 2', { reason: 'malformed-input' }, 'not valid JSON'],
    ['are no object', '[1, 2]', { reason: 'malformed-input' }, 'one JSON object'],
    ['are null', 'null', { reason: 'malformed-input' }, 'one JSON object'],
    ['are too many', `{"a":"${'x'.repeat(100_000)}"}`, { reason: 'input-too-large' }, '100,000'],
    [
      'are too deep',
      `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
      { reason: 'input-too-deep' },
      '64 levels',
    ],
  ])('because they %s: the model is told, and the turn goes on', async (_, input, invalid, told) => {
    const { outcome, provider } = await turn(
      replies({ toolCalls: [{ name: 'list_ships', input }] }, { text: 'Sorry.' }),
    );
    expect(outcome).toMatchObject({ finish: 'stop', text: 'Sorry.' });
    const call = outcome.steps[0]?.calls[0];
    expect(call).toMatchObject({ invalid, rawInput: input.slice(0, 100_000) });
    expect(call?.answer).toBeUndefined();
    expect(lastMessages(provider)[1].tool_calls[0].function.arguments).toBe('{}');
    expect(lastMessages(provider)[2].content).toContain(told);
  });

  test('arguments that are left out are none', async () => {
    const { outcome } = await turn(callThenAnswer({ name: 'sink', input: '' }));
    expect(outcome.steps[0]?.calls[0]).toMatchObject({ input: {}, answer: { isError: false } });
  });

  test('a tool that was not offered is not called', async () => {
    const { outcome, provider } = await turn(
      replies({ toolCalls: [{ name: 'scuttle.all/now', input: { really: true } }] }, { text: 'Oh.' }),
    );
    expect(outcome.steps[0]?.calls[0]).toMatchObject({
      name: 'scuttle.all/now',
      input: { really: true },
      invalid: { reason: 'unknown-tool' },
    });
    expect(lastMessages(provider)[1].tool_calls[0].function.name).toBe('scuttle_all_now');
  });
});

describe('tool calls', () => {
  const three = replies(
    { toolCalls: [1, 2, 3].map((limit) => ({ name: 'list_ships', input: { limit } })) },
    { text: 'Done.' },
  );

  test.each([true, false])('of one step run together: %s', async (parallel) => {
    let running = 0;
    let most = 0;
    const order: unknown[] = [];
    const callTool = async (request: ToolRequest): Promise<Answer> => {
      order.push(request.input['limit']);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return answering(request);
    };
    const { outcome } = await turn(three, { parallel, callTool });
    expect(most).toBe(parallel ? 3 : 1);
    expect(order).toEqual([1, 2, 3]);
    for (const { startedAt, endedAt } of outcome.steps[0]?.calls ?? [])
      expect(endedAt).toBeGreaterThan(startedAt as number);
  });

  test('with the same or no id get ids of their own', async () => {
    const { outcome, provider } = await turn(
      replies(
        { toolCalls: ['call_0', 'call_0', ' '].map((id) => ({ name: 'sink', input: {}, id })) },
        { text: 'Ok' },
      ),
    );
    const ids = outcome.steps[0]?.calls.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(3);
    expect(lastMessages(provider)[1].tool_calls.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('beyond 64 are left out, for the model too', async () => {
    const many = Array.from({ length: 70 }, () => ({ name: 'sink', input: {} }));
    const { outcome, provider } = await turn(replies({ toolCalls: many }, { text: 'Ok' }));
    expect(outcome.steps[0]).toMatchObject({ cut: { calls: 6 } });
    expect(outcome.steps[0]?.calls).toHaveLength(64);
    expect(lastMessages(provider)[1].tool_calls).toHaveLength(64);
  });

  test('are made when the provider says that it stops', async () => {
    const { outcome } = await turn(
      replies({ toolCalls: [{ name: 'sink', input: {} }], finish: 'stop' }, { text: 'Ok' }),
    );
    expect(outcome.steps[0]?.calls[0]?.answer).toBeDefined();
  });

  test('that fail are told as errors', async () => {
    const callTool = (told: ToolRequest): Promise<Answer> =>
      Promise.resolve({ output: { type: 'error-text', value: 'No permission' }, isError: true, told });
    const { outcome, provider } = await turn(callThenAnswer({ name: 'sink', input: {} }), { callTool });
    expect(outcome).toMatchObject({ finish: 'stop' });
    expect(lastMessages(provider)[2].content).toContain('No permission');
  });

  test('that cannot be made at all end the turn with what is known', async () => {
    const callTool = (): Promise<Answer> => Promise.reject(new Error('the pool is closed'));
    const { outcome } = await turn(three, { callTool });
    expect(outcome).toMatchObject({ finish: 'error', error: { message: 'the pool is closed' } });
    expect(outcome.steps).toHaveLength(1);
    expect(outcome.messages.at(-1)?.content).toHaveLength(3);
  });
});

describe('the end of a turn', () => {
  test('comes after the last step that is allowed, with its calls made', async () => {
    const { outcome, provider } = await turn(() => ({ toolCalls: [{ name: 'sink', input: {} }] }), {
      stepLimit: 3,
    });
    expect(outcome).toMatchObject({ finish: 'step-limit' });
    expect(provider.requests).toHaveLength(3);
    expect(outcome.steps.every(({ calls }) => calls[0]?.answer)).toBe(true);
  });

  test('an empty answer is one', async () => {
    const { outcome } = await turn(() => ({}));
    expect(outcome).toMatchObject({ finish: 'stop', text: '', messages: [] });
  });

  test('comes with an abort while the model thinks', async () => {
    const stop = new AbortController();
    const script = replies({ toolCalls: [{ name: 'sink', input: {} }] });
    const { outcome } = await turn(
      (request) => {
        if (request.call === 0) return script(request);
        stop.abort();
        return { silent: true };
      },
      { signal: stop.signal },
    );
    expect(outcome).toMatchObject({ finish: 'aborted', error: { kind: 'aborted' } });
    expect(outcome.steps).toHaveLength(1);
  });

  test.each([true, false])('comes with an abort that a tool ignores (parallel: %s)', async (parallel) => {
    const stop = new AbortController();
    const callTool = (request: ToolRequest): Promise<Answer> => {
      if (request.name === 'list_ships') return answering(request);
      setImmediate(() => stop.abort());
      return new Promise(() => {});
    };
    const toolCalls = ['list_ships', 'sink'].map((name) => ({ name, input: {} }));
    const { outcome } = await turn(() => ({ toolCalls }), { callTool, parallel, signal: stop.signal });
    expect(outcome.finish).toBe('aborted');
    const [done, left]: TurnCall<Answer>[] = outcome.steps[0]?.calls ?? [];
    expect(done?.answer).toBeDefined();
    expect(left?.answer).toBeUndefined();
    expect(left?.endedAt).toBeUndefined();
    expect(outcome.messages.at(-1)?.content).toHaveLength(2);
  });

  test('comes at once when the signal has aborted before', async () => {
    const { outcome, provider } = await turn(() => ({}), { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ finish: 'aborted', steps: [] });
    expect(provider.requests).toEqual([]);
  });
});

describe('what is reported', () => {
  test('usage that the provider leaves out is unknown, and so is the sum', async () => {
    const { outcome } = await turn(
      replies({ toolCalls: [{ name: 'sink', input: {} }], usage: null }, { text: 'Ok' }),
    );
    expect(outcome.steps[0]?.usage).toEqual({});
    expect(outcome.steps[1]?.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
    expect(outcome.usage.inputTokens).toBeUndefined();
    expect(outcome.usage.outputTokens).toBeUndefined();
  });

  test('text is cut where it is too long', async () => {
    const { outcome } = await turn(() => ({ text: 'x'.repeat(1_000_001) }));
    expect(outcome.text).toHaveLength(1_000_000);
    expect(outcome.steps[0]).toMatchObject({ cut: { text: true } });
  });

  test('each attempt is counted, and the time is that of the one that was answered', async () => {
    const script = replies({ status: 500 }, { status: 500 }, { text: 'Ok' });
    const seen: string[] = [];
    const { outcome } = await turn(script, {
      wrap: async (attempt) => {
        for (;;) {
          try {
            return await attempt();
          } catch (error) {
            seen.push((error as ModelFailure).kind);
          }
        }
      },
    });
    expect(seen).toEqual(['overloaded', 'overloaded']);
    const [step] = outcome.steps;
    expect(step).toMatchObject({ attempts: 3 });
    expect(step?.modelStartedAt).toBeGreaterThan((step?.startedAt as number) + 3);
  });

  test('a hook that refuses ends the turn', async () => {
    const { outcome, provider } = await turn(() => ({}), {
      wrap: () => Promise.reject(new ModelFailure('quota', 'No credits are left')),
    });
    expect(outcome).toMatchObject({
      finish: 'error',
      error: { kind: 'quota', message: 'No credits are left' },
    });
    expect(provider.requests).toEqual([]);
  });

  test('steps are told one by one, each when it is complete', async () => {
    const told: number[] = [];
    await turn(callThenAnswer({ name: 'sink', input: {} }), {
      onStep: ({ index, calls }: TurnStep<Answer>) => {
        told.push(index);
        for (const call of calls) expect(call.answer).toBeDefined();
      },
    });
    expect(told).toEqual([0, 1]);
  });

  test('schemas go out as they are, with no more than providers demand', async () => {
    const { provider } = await turn(() => ({}));
    const sent = provider.requests[0]?.body.tools.map((tool: { function: object }) => tool.function);
    expect(sent).toMatchObject([
      { name: 'list_ships', parameters: tools[0]?.inputSchema },
      { name: 'sink', parameters: { type: 'object', properties: {} } },
    ]);
  });
});
