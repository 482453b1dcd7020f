import type {
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
} from '@ai-sdk/provider';
import { ModelFailure, publicText } from './failure.ts';
import { inputForModel, nameForModel, type TextPart, type ToolCallPart } from './messages.ts';
import { type InvalidCall, maxInputLength, readToolInput } from './tool-input.ts';
import { type Usage, usageOf } from './usage.ts';

/** Maximum characters of an answer's text. */
const maxText = 1_000_000;
/** Maximum characters of the arguments of all calls in an answer. */
const maxInputs = 400_000;
/** Maximum number of calls in an answer. Further calls are dropped. */
const maxCalls = 64;

export interface StepFinish {
  unified: LanguageModelV3GenerateResult['finishReason']['unified'];
  /** The provider's own value. */
  raw?: string;
}

interface StepCall {
  id: string;
  name: string;
  rawInput: string;
  input?: Record<string, unknown>;
  invalid?: InvalidCall;
}

type AssistantPart = Extract<LanguageModelV3Prompt[number], { role: 'assistant' }>['content'][number];

/** An answer of a model, parsed and limited. */
export interface ReadStep {
  facts: {
    text: string;
    calls: StepCall[];
    usage: Usage;
    rawUsage?: unknown;
    finish: StepFinish;
    responseId?: string;
    responseModel?: string;
    cut?: { text?: true; calls?: number };
  };
  /** Whether there are calls to make. */
  hasCalls: boolean;
  /** How the turn ends if there are no calls to make. */
  finish: 'stop' | 'length' | 'content-filter' | 'other' | 'error';
  error?: ModelFailure;
  /** For the stored history: text, and calls with a result. */
  storedParts: (TextPart | ToolCallPart)[];
  /** For the model: additionally reasoning and the provider's own metadata. */
  modelParts: AssistantPart[];
}

/** Parses an answer. Adds the IDs of its calls to `usedIds`, because some providers reuse IDs. */
export function readStep(
  { content, finishReason, usage, response }: LanguageModelV3GenerateResult,
  tools: ReadonlySet<string>,
  usedIds: Set<string>,
): ReadStep {
  const parts = boundedParts(content);
  const { unified, raw } = finishReason;
  let room = maxInputs;
  const calls = parts.calls.map((part) => {
    const call = readCall(part, tools, usedIds, room);
    room -= call.rawInput.length;
    return call;
  });
  // Some providers report `stop` for calls. After any other reason the calls may be incomplete.
  const hasCalls = calls.length > 0 && (unified === 'tool-calls' || unified === 'stop');
  const text = parts.texts.join('');
  const responseId = response?.id;
  const responseModel = response?.modelId;
  return {
    facts: {
      text,
      calls,
      usage: usageOf(usage),
      ...(usage.raw !== undefined && { rawUsage: usage.raw }),
      finish: { unified, ...(raw !== undefined && { raw: raw.slice(0, 100) }) },
      ...(responseId && { responseId: responseId.slice(0, 200) }),
      ...(responseModel && { responseModel: responseModel.slice(0, 200) }),
      ...(parts.cut && { cut: parts.cut }),
    },
    hasCalls,
    finish: unified === 'tool-calls' ? 'stop' : unified,
    ...(unified === 'error' && {
      error: new ModelFailure(
        'malformed',
        `The model ended with an error: ${publicText(raw ?? 'no reason')}`,
      ),
    }),
    storedParts: hasCalls ? [...texts(text), ...calls.map(callPart)] : texts(text),
    modelParts: hasCalls ? toModel(parts.kept, calls) : [],
  };
}

interface BoundedParts {
  kept: LanguageModelV3Content[];
  texts: string[];
  calls: Extract<LanguageModelV3Content, { type: 'tool-call' }>[];
  cut?: { text?: true; calls?: number };
}

function boundedParts(content: readonly LanguageModelV3Content[]): BoundedParts {
  const parts: BoundedParts = { kept: [], texts: [], calls: [] };
  let room = maxText;
  let dropped = 0;
  for (const part of content) {
    if (part.type === 'text') {
      const text = part.text.slice(0, room);
      if (text.length < part.text.length) parts.cut = { ...parts.cut, text: true };
      room -= text.length;
      parts.texts.push(text);
      if (text !== '') parts.kept.push({ ...part, text });
    } else if (part.type === 'tool-call' && !part.providerExecuted) {
      if (parts.calls.length === maxCalls) dropped++;
      else {
        parts.calls.push(part);
        parts.kept.push(part);
      }
    } else if (part.type === 'reasoning') parts.kept.push(part);
  }
  if (dropped > 0) parts.cut = { ...parts.cut, calls: dropped };
  return parts;
}

function readCall(
  { toolCallId, toolName, input: raw }: BoundedParts['calls'][number],
  tools: ReadonlySet<string>,
  usedIds: Set<string>,
  room: number,
): StepCall {
  const id = uniqueId(toolCallId, usedIds);
  const call = {
    id,
    name: toolName.slice(0, 200),
    rawInput: raw.slice(0, Math.min(room, maxInputLength)),
  };
  const read = readToolInput(raw, room);
  const input = 'input' in read && { input: read.input };
  if (!tools.has(toolName))
    return {
      ...call,
      ...input,
      invalid: { reason: 'unknown-tool', message: 'There is no tool with this name.' },
    };
  return { ...call, ...read };
}

function uniqueId(given: string, used: Set<string>): string {
  let id = given;
  if (!/^[\w-]{1,200}$/.test(given) || used.has(given)) {
    let n = used.size + 1;
    while (used.has(`call_${n}`)) n++;
    id = `call_${n}`;
  }
  used.add(id);
  return id;
}

function texts(text: string): TextPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function callPart({ id, name, rawInput, input }: StepCall): ToolCallPart {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: input ?? rawInput };
}

function toModel(kept: readonly LanguageModelV3Content[], calls: readonly StepCall[]): AssistantPart[] {
  const left = [...calls];
  return kept.flatMap((part): AssistantPart[] => {
    const marks = 'providerMetadata' in part && part.providerMetadata;
    const options = marks ? { providerOptions: marks } : {};
    if (part.type === 'text' || part.type === 'reasoning')
      return [{ type: part.type, text: part.text, ...options }];
    const call = part.type === 'tool-call' ? left.shift() : undefined;
    if (!call) return [];
    const toolName = nameForModel(call.name);
    return [{ ...callPart(call), toolName, input: inputForModel(call.input), ...options }];
  });
}
