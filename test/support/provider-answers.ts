import { crc32 } from 'node:zlib';
import type { Reply, ScriptedCall } from './scripted-provider.ts';

// Bodies of each wire, with the fields that clients read.

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
    'unheard-of': 'unheard_of',
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

/** The answer of `chatAnswer` as events: the text in pieces, then the calls, then the usage. */
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
  const reasons = {
    length: 'max_output_tokens',
    'content-filter': 'content_filter',
    'unheard-of': 'unheard_of',
  };
  const reason = reasons[finish as 'length'];
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

/** Arguments are JSON on this wire, so malformed ones arrive as a string. `usage` is required. */
export function anthropicAnswer(reply: Reply, model: string): string {
  const { text, toolCalls = [], usage } = reply;
  const { input, output, cacheRead = 0 } = usage ?? usual;
  const reasons = {
    'tool-calls': 'tool_use',
    'content-filter': 'refusal',
    stop: 'end_turn',
    length: 'max_tokens',
    'unheard-of': 'unheard_of',
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

export function googleAnswer(reply: Reply): string {
  const { text, toolCalls = [], usage = usual } = reply;
  const reasons = {
    'tool-calls': 'STOP',
    'content-filter': 'SAFETY',
    stop: 'STOP',
    length: 'MAX_TOKENS',
    'unheard-of': 'UNHEARD_OF',
  };
  return JSON.stringify({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(text === undefined ? [] : [{ text }]),
            ...toolCalls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
          ],
        },
        finishReason: reasons[finishOf(reply)],
      },
    ],
    ...(usage && {
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        cachedContentTokenCount: usage.cacheRead ?? 0,
        totalTokenCount: usage.input + usage.output,
      },
    }),
  });
}

/** The whole answer in one event. */
export function* googleEvents(reply: Reply): Generator<string> {
  yield `data: ${googleAnswer(reply)}\n\n`;
}

const bedrockReasons = {
  'tool-calls': 'tool_use',
  'content-filter': 'content_filtered',
  stop: 'end_turn',
  length: 'max_tokens',
  'unheard-of': 'unheard_of',
};

function bedrockUsage({ usage }: Reply): object {
  const { input, output, cacheRead = 0 } = usage ?? usual;
  const spent = { inputTokens: input - cacheRead, outputTokens: output, cacheReadInputTokens: cacheRead };
  return { usage: { ...spent, totalTokens: input + output }, metrics: { latencyMs: 1 } };
}

/** This wire requires `usage`. */
export function bedrockAnswer(reply: Reply): string {
  const { text, toolCalls = [] } = reply;
  const content = [
    ...(text === undefined ? [] : [{ text }]),
    ...toolCalls.map((call) => ({
      toolUse: { toolUseId: idOf(call), name: call.name, input: call.input },
    })),
  ];
  return JSON.stringify({
    output: { message: { role: 'assistant', content } },
    stopReason: bedrockReasons[finishOf(reply)],
    ...bedrockUsage(reply),
  });
}

/** Binary frames: two lengths, their checksum, headers, a body and a checksum of it all. */
export function* bedrockEvents(reply: Reply): Generator<Buffer> {
  const { text, toolCalls = [] } = reply;
  yield frame('messageStart', { role: 'assistant' });
  if (text !== undefined) {
    for (const piece of text.match(/[^ ]+ ?/g) ?? [])
      yield frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: piece } });
    yield frame('contentBlockStop', { contentBlockIndex: 0 });
  }
  for (const [at, call] of toolCalls.entries()) {
    const contentBlockIndex = at + 1;
    const toolUse = { toolUseId: idOf(call), name: call.name };
    yield frame('contentBlockStart', { contentBlockIndex, start: { toolUse } });
    yield frame('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: rawInput(call) } } });
    yield frame('contentBlockStop', { contentBlockIndex });
  }
  yield frame('messageStop', { stopReason: bedrockReasons[finishOf(reply)] });
  yield frame('metadata', bedrockUsage(reply));
}

function frame(event: string, content: object): Buffer {
  const headers = Buffer.concat(
    Object.entries({
      ':event-type': event,
      ':content-type': 'application/json',
      ':message-type': 'event',
    }).map(([name, value]) => {
      const length = Buffer.alloc(3);
      // Type 7 is a string.
      length.writeUInt8(7, 0);
      length.writeUInt16BE(value.length, 1);
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(JSON.stringify(content));
  const start = Buffer.alloc(8);
  start.writeUInt32BE(16 + headers.length + body.length, 0);
  start.writeUInt32BE(headers.length, 4);
  const before = Buffer.concat([start, checksum(start), headers, body]);
  return Buffer.concat([before, checksum(before)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes), 0);
  return sum;
}
