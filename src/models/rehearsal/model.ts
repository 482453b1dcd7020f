import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import { type Plan, type PlannedCall, planFor } from './plan.ts';
import { indexTools, type ToolIndex } from './rank.ts';
import { wordsOf } from './tokenize.ts';

/** Characters of a result that the answer quotes. */
const maxQuoted = 2_000;

/**
 * A deterministic substitute for a language model: calls the tools whose words match the prompt, and reports the
 * results. No key and no network are needed, so suites, loops and limits can be tried for free. Answers start with
 * `[rehearsal]`, so that they are not mistaken for those of a model.
 */
export function rehearsalModel(): LanguageModelV3 {
  const answer = async (options: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> => {
    options.abortSignal?.throwIfAborted();
    return rehearse(options);
  };
  return {
    specificationVersion: 'v3',
    provider: 'drydock',
    modelId: 'rehearsal',
    supportedUrls: {},
    doGenerate: answer,
    doStream: async (options) => ({ stream: streamOf(await answer(options)) }),
  };
}

function rehearse({
  prompt,
  tools = [],
  toolChoice,
}: LanguageModelV3CallOptions): LanguageModelV3GenerateResult {
  const { text, made } = lastRequest(prompt);
  const plan =
    toolChoice?.type === 'none' ? nothing : planFor(text, indexOf(tools), { forced: forcedBy(toolChoice) });
  const next = plan.calls[made.length];
  const content = next
    ? callPart(next, made.length, prompt.length)
    : { type: 'text' as const, text: report(plan, made) };
  return {
    content: [content],
    finishReason: next ? { unified: 'tool-calls', raw: 'tool-calls' } : { unified: 'stop', raw: 'stop' },
    usage: usageOf(prompt, content),
    warnings: [],
  };
}

const nothing: Plan = { calls: [], reason: 'no call is allowed' };

function forcedBy(choice: LanguageModelV3CallOptions['toolChoice']): string | true | undefined {
  if (choice?.type === 'tool') return choice.toolName;
  return choice?.type === 'required' ? true : undefined;
}

/** Cached, because all steps of a turn offer the same list. */
const indexes = new WeakMap<object, ToolIndex>();

function indexOf(tools: NonNullable<LanguageModelV3CallOptions['tools']>): ToolIndex {
  const known = indexes.get(tools);
  if (known) return known;
  const index = indexTools(tools.filter((tool) => tool.type === 'function'));
  indexes.set(tools, index);
  return index;
}

interface MadeCall {
  call: { toolName: string; input: unknown };
  result: LanguageModelV3ToolResultPart | undefined;
}

/** The user's last message, and the calls made since. */
function lastRequest(prompt: LanguageModelV3Prompt): { text: string; made: MadeCall[] } {
  const at = prompt.findLastIndex(({ role }) => role === 'user');
  const asked = prompt[at];
  const text =
    asked?.role === 'user'
      ? asked.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      : '';
  const since = prompt.slice(at + 1);
  const calls = since
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .filter((part) => part.type === 'tool-call');
  const results = since
    .flatMap((message) => (message.role === 'tool' ? message.content : []))
    .filter((part) => part.type === 'tool-result');
  const byCall = new Map(results.map((part) => [part.toolCallId, part]));
  return { text, made: calls.map((call) => ({ call, result: byCall.get(call.toolCallId) })) };
}

/** IDs count the calls and messages before them, so they are deterministic and unique within a chat. */
function callPart(
  { name, arguments: input }: PlannedCall,
  place: number,
  messages: number,
): Extract<LanguageModelV3Content, { type: 'tool-call' }> {
  return {
    type: 'tool-call',
    toolCallId: `rehearsal_${messages}_${place + 1}`,
    toolName: name,
    input: JSON.stringify(input),
  };
}

function report({ reason }: Plan, made: readonly MadeCall[]): string {
  if (made.length === 0) return `[rehearsal] called no tool: ${reason}`;
  return made
    .map(({ call, result }) => {
      const output = result ? cut(outputText(result)) : 'none';
      const failed = result?.output.type.startsWith('error') || result?.output.type === 'execution-denied';
      return `[rehearsal] called ${call.toolName} with ${cut(JSON.stringify(call.input))}; ${failed ? 'error' : 'result'}: ${output}`;
    })
    .join('\n');
}

function outputText({ output }: LanguageModelV3ToolResultPart): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type === 'execution-denied') return output.reason ?? 'denied';
  if (output.type !== 'content') return JSON.stringify(output.value);
  return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

function cut(text: string): string {
  return text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
}

/** Counts words instead of tokens, so that token budgets can be tried. */
function usageOf(
  prompt: LanguageModelV3Prompt,
  content: LanguageModelV3Content,
): LanguageModelV3GenerateResult['usage'] {
  const written = content.type === 'text' ? content.text : content.type === 'tool-call' ? content.input : '';
  const input = prompt.reduce((sum, message) => sum + countOf(textOf(message)), 0);
  const output = countOf(written);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

function textOf({ content }: LanguageModelV3Prompt[number]): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'tool-call') return JSON.stringify(part.input);
      return part.type === 'tool-result' ? outputText(part) : '';
    })
    .join(' ');
}

/** An estimate for long texts, by the length of the counted part. */
function countOf(text: string): number {
  const counted = text.slice(0, 20_000);
  return counted === '' ? 0 : Math.ceil((wordsOf(counted).length * text.length) / counted.length);
}

function streamOf({
  content,
  usage,
  finishReason,
  warnings,
}: LanguageModelV3GenerateResult): ReadableStream<LanguageModelV3StreamPart> {
  const parts = content.flatMap((part): LanguageModelV3StreamPart[] => {
    if (part.type === 'tool-call') return [part];
    if (part.type !== 'text') return [];
    return [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: part.text },
      { type: 'text-end', id: '0' },
    ];
  });
  return ReadableStream.from<LanguageModelV3StreamPart>([
    { type: 'stream-start', warnings },
    ...parts,
    { type: 'finish', usage, finishReason },
  ]);
}
