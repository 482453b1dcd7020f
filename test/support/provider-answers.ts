import type { Reply, ScriptedCall } from './scripted-provider.ts';

// Bodies as the three wires write them, with no more in them than clients read.

let made = 0;

const usual: NonNullable<Reply['usage']> = { input: 100, output: 20 };

function idOf({ id }: ScriptedCall): string {
  return id ?? `call_${++made}`;
}

function rawInput({ input }: ScriptedCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

function finishOf({ finish, toolCalls = [] }: Reply): NonNullable<Reply['finish']> {
  return finish ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop');
}

export function chatAnswer(reply: Reply, model: string): string {
  const { text = null, toolCalls = [], usage = usual } = reply;
  const reasons = {
    'tool-calls': 'tool_calls',
    'content-filter': 'content_filter',
    stop: 'stop',
    length: 'length',
  };
  return JSON.stringify({
    id: `chatcmpl-${++made}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(toolCalls.length > 0 && {
            tool_calls: toolCalls.map((call) => ({
              id: idOf(call),
              type: 'function',
              function: { name: call.name, arguments: rawInput(call) },
            })),
          }),
        },
        finish_reason: reasons[finishOf(reply)],
      },
    ],
    ...(usage && {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      },
    }),
  });
}

/** The same as events: the text in pieces, then the calls, then what it took. */
export function* chatEvents(reply: Reply, model: string): Generator<string> {
  const whole = JSON.parse(chatAnswer(reply, model)) as {
    id: string;
    choices: [{ message: { content: string | null; tool_calls?: object[] }; finish_reason: string }];
    usage?: object;
  };
  const [{ message, finish_reason }] = whole.choices;
  const event = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: whole.id, object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  for (const content of message.content?.match(/[^ ]+ ?/g) ?? []) yield event({ delta: { content } });
  for (const [index, call] of (message.tool_calls ?? []).entries())
    yield event({ delta: { tool_calls: [{ index, ...call }] } });
  yield event({ delta: {}, finish_reason }, whole.usage ? { usage: whole.usage } : {});
  yield 'data: [DONE]\n\n';
}

export function responsesAnswer(reply: Reply, model: string): string {
  const { text, toolCalls = [], usage = usual } = reply;
  const finish = finishOf(reply);
  const reason = { length: 'max_output_tokens', 'content-filter': 'content_filter' }[finish as 'length'];
  return JSON.stringify({
    id: `resp_${++made}`,
    object: 'response',
    created_at: 1_790_000_000,
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    error: null,
    model,
    output: [
      ...(text === undefined
        ? []
        : [
            {
              type: 'message',
              id: `msg_${++made}`,
              status: 'completed',
              role: 'assistant',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]),
      ...toolCalls.map((call) => ({
        type: 'function_call',
        id: `fc_${++made}`,
        call_id: idOf(call),
        name: call.name,
        arguments: rawInput(call),
        status: 'completed',
      })),
    ],
    ...(usage && {
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    }),
  });
}

/** This wire sends arguments as JSON, so malformed ones arrive as a string; its usage is not optional. */
export function anthropicAnswer(reply: Reply, model: string): string {
  const { text, toolCalls = [], usage } = reply;
  const { input, output, cacheRead = 0 } = usage ?? usual;
  const reasons = {
    'tool-calls': 'tool_use',
    'content-filter': 'refusal',
    stop: 'end_turn',
    length: 'max_tokens',
  };
  return JSON.stringify({
    id: `msg_${++made}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...toolCalls.map((call) => ({ type: 'tool_use', id: idOf(call), name: call.name, input: call.input })),
    ],
    stop_reason: reasons[finishOf(reply)],
    stop_sequence: null,
    usage: { input_tokens: input - cacheRead, output_tokens: output, cache_read_input_tokens: cacheRead },
  });
}
