import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callable } from '../../../test/support/models.ts';
import { scaled } from '../../../test/support/slowdown.ts';
import { runTurn, type ToolAnswer, type ToolRequest } from '../turn.ts';
import { rehearsalModel } from './model.ts';

const tools = [
  {
    name: 'list_ships',
    description: 'List the ships in the harbour.',
    inputSchema: {
      type: 'object',
      properties: { limit: { type: 'integer', description: 'How many ships.' } },
    },
  },
  {
    name: 'inspect_hull',
    description: 'Report the rusty plates of one ship.',
    inputSchema: { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] },
  },
];

function turn(prompt: string, callTool: (request: ToolRequest) => Promise<ToolAnswer>) {
  return runTurn({
    model: callable(rehearsalModel(), () => 0),
    history: [{ role: 'user', content: prompt }],
    tools,
    callTool,
    signal: new AbortController().signal,
    clock: () => 0,
  });
}

const answer = ({ name }: ToolRequest): Promise<ToolAnswer> =>
  Promise.resolve(
    name === 'list_ships'
      ? { output: { type: 'json', value: { ships: ['Albatross'] } }, isError: false }
      : { output: { type: 'error-text', value: 'No such ship' }, isError: true },
  );

describe('a turn with the offline model', () => {
  test('makes the calls of the prompt one after the other and says what came back', async () => {
    const outcome = await turn('List 3 ships and then inspect the hull of Bittern.', answer);
    expect(outcome).toMatchObject({ finish: 'stop' });
    expect(outcome.steps.flatMap(({ calls }) => calls.map(({ name, input }) => [name, input]))).toEqual([
      ['list_ships', { limit: 3 }],
      ['inspect_hull', { ship: 'Bittern' }],
    ]);
    expect(outcome.text).toBe(
      '[rehearsal] called list_ships with {"limit":3}; result: {"ships":["Albatross"]}\n' +
        '[rehearsal] called inspect_hull with {"ship":"Bittern"}; error: No such ship',
    );
    expect(outcome.usage.inputTokens).toBeGreaterThan(0);
    expect(outcome.usage.outputTokens).toBeGreaterThan(0);
  });

  test('says so when there is nothing to call', async () => {
    const outcome = await turn('What is love?', answer);
    expect(outcome.text).toBe('[rehearsal] called no tool: no tool is about this');
    expect(outcome.steps).toHaveLength(1);
  });

  test('is the same each time, ids and all', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => turn('List ships then inspect the hull of X1', answer)),
    );
    expect(first).toEqual(second);
  });

  test('begins anew with the next thing the user says', async () => {
    const first = await turn('List ships', answer);
    const history = [
      { role: 'user' as const, content: 'List ships' },
      ...first.messages,
      { role: 'user' as const, content: 'List 1 ship' },
    ];
    const second = await runTurn({
      model: callable(rehearsalModel(), () => 0),
      history,
      tools,
      callTool: answer,
      signal: new AbortController().signal,
      clock: () => 0,
    });
    expect(second.steps[0]?.calls[0]).toMatchObject({ name: 'list_ships', input: { limit: 1 } });
    expect(second.steps[0]?.calls[0]?.id).not.toBe(first.steps[0]?.calls[0]?.id);
  });

  test('quotes no more of a result than fits', async () => {
    const { text } = await turn('List ships', () =>
      Promise.resolve({ output: { type: 'text', value: 'x'.repeat(100_000) }, isError: false }),
    );
    expect(text.length).toBeLessThan(3_000);
  });
});

function asked(
  prompt: string,
  changes: Partial<LanguageModelV3CallOptions> = {},
): LanguageModelV3CallOptions {
  return {
    prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    tools: tools.map((tool) => ({ ...tool, type: 'function' as const })),
    ...changes,
  };
}

test.each<[object, string | undefined]>([
  [{ type: 'none' }, undefined],
  [{ type: 'auto' }, 'list_ships'],
  [{ type: 'required' }, 'list_ships'],
  [{ type: 'tool', toolName: 'inspect_hull' }, 'inspect_hull'],
])('does what the choice of tools asks for: %j', async (toolChoice, expected) => {
  const { content } = await rehearsalModel().doGenerate(
    asked('List the ships', {
      toolChoice: toolChoice as NonNullable<LanguageModelV3CallOptions['toolChoice']>,
    }),
  );
  expect(content.find((part) => part.type === 'tool-call')?.toolName).toBe(expected);
});

test('streams what it would have said', async () => {
  for (const prompt of ['List the ships', 'Hello']) {
    const { stream } = await rehearsalModel().doStream(asked(prompt));
    const parts: LanguageModelV3StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    const { content, usage } = await rehearsalModel().doGenerate(asked(prompt));
    const said = parts.filter((part) => part.type === 'tool-call' || part.type === 'text-delta');
    const whole = content.map((part) =>
      part.type === 'text' ? { type: 'text-delta', id: '0', delta: part.text } : part,
    );
    expect(said).toEqual(whole);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', usage });
  }
});

test('stops when it has been given up', async () => {
  await expect(
    rehearsalModel().doGenerate(asked('x', { abortSignal: AbortSignal.abort() })),
  ).rejects.toThrow();
});

describe('whatever it is offered and asked', () => {
  const word = fc.constantFrom(
    'list',
    'ships',
    'get',
    'user',
    'file',
    'read',
    'a',
    'b',
    '__proto__',
    'constructor',
    'é',
    '日本',
  );
  const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'));
  const schema = fc.letrec<{ any: unknown; object: object }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 7),
          description: fc.string(),
        },
        { requiredKeys: [] },
      ),
      fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null))) }),
      fc.record({ type: fc.constant('array'), items: tie('any') }),
      fc.record({ $ref: fc.constantFrom('#/$defs/x', '#', 'elsewhere', '#/properties/a') }),
      fc.record({ anyOf: fc.array(tie('any'), { maxLength: 3 }) }),
      tie('object'),
      fc.jsonValue(),
    ),
    object: fc.record(
      {
        type: fc.constant('object'),
        properties: fc.oneof(fc.dictionary(word, tie('any'), { maxKeys: 5 }), fc.jsonValue()),
        required: fc.oneof(fc.array(word), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  })).object;
  const offered = fc.array(
    fc.record({
      type: fc.constant('function' as const),
      name,
      description: fc.string(),
      inputSchema: schema,
    }),
    { maxLength: 8 },
  );
  const prompts = fc
    .array(
      fc.oneof(
        word,
        fc.string(),
        fc.constantFrom('1', '"x"', 'and then', '.', 'a@b.co', '/tmp/x', '2026-01-02', 'true'),
      ),
      { maxLength: 20 },
    )
    .map((words) => words.join(' '));

  test('it calls only what is offered, with properties that exist, and the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(offered, prompts, async (list, prompt) => {
        const options = { ...asked(prompt), tools: list as NonNullable<LanguageModelV3CallOptions['tools']> };
        const ask = (): PromiseLike<LanguageModelV3GenerateResult> => rehearsalModel().doGenerate(options);
        const result = await ask();
        expect(await rehearsalModel().doGenerate(structuredClone(options))).toEqual(result);
        for (const part of result.content.filter((one) => one.type === 'tool-call')) {
          const called = list.filter((tool) => tool.name === part.toolName);
          expect(called.length).toBeGreaterThan(0);
          const known = called.flatMap(({ inputSchema }) =>
            Object.keys((inputSchema as { properties?: object }).properties ?? {}),
          );
          for (const key of Object.keys(JSON.parse(part.input) as object)) expect(known).toContain(key);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('it is done soon with 5,000 tools, long descriptions and many parameters', async () => {
    const description = Buffer.alloc(100_000, 'list the ships in the harbour ').toString();
    const many = (count: number, parameters: number) =>
      Array.from({ length: count }, (_, n) => ({
        type: 'function' as const,
        name: `list_ships_${n}`,
        description,
        inputSchema: {
          type: 'object' as const,
          properties: Object.fromEntries(
            Array.from({ length: parameters }, (_, p) => [
              `ship${p}`,
              { type: 'string' as const, description },
            ]),
          ),
          required: Array.from({ length: parameters }, (_, p) => `ship${p}`),
        },
      }));
    const hostile = [
      'List 1 ship and list "2" ships. '.repeat(1000),
      'A'.repeat(100_000),
      ' '.repeat(100_000),
      'a, '.repeat(50_000),
    ];
    for (const list of [many(5_000, 2), many(20, 5_000)])
      for (const prompt of hostile) {
        const started = performance.now();
        await rehearsalModel().doGenerate({ ...asked(prompt), tools: list });
        expect(performance.now() - started).toBeLessThan(scaled(5_000));
      }
  });
});
