import { setMaxListeners } from 'node:events';
import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { Clock } from '../platform/clock.ts';
import { failureOf, ModelFailure, unlessAborted } from './failure.ts';
import { nameForModel, promptOf, type ToolOutput, type TurnMessage } from './messages.ts';
import type { CallableModel, ModelAnswer, ModelCall } from './model-call.ts';
import { type ReadStep, readStep, type StepFinish } from './step.ts';
import type { Reader } from './streamed.ts';
import type { InvalidCall } from './tool-input.ts';
import { sumOfUsage, type Usage } from './usage.ts';

/** A tool as offered to the model, under a name that providers accept. */
export interface OfferedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** The result of a tool call. Callers add fields that they need in the steps. */
export interface ToolAnswer {
  /** The result for the model. */
  output: ToolOutput;
  isError: boolean;
}

export interface ToolRequest {
  id: string;
  name: string;
  input: Record<string, unknown>;
  signal: AbortSignal;
}

export interface TurnOptions<Answer extends ToolAnswer> {
  model: CallableModel;
  /** The conversation so far. The turn answers the last message. */
  history: readonly TurnMessage[];
  system?: string | undefined;
  temperature?: number | undefined;
  maxOutputTokens?: number | undefined;
  tools: readonly OfferedTool[];
  /** Makes a call. A failed tool is a result; a rejection ends the turn. */
  callTool: (request: ToolRequest) => Promise<Answer>;
  /** Maximum number of model calls. Default: 20. */
  stepLimit?: number | undefined;
  /** Whether the calls of one step run concurrently. Default: true. */
  parallel?: boolean | undefined;
  signal: AbortSignal;
  clock: Clock;
  /** Receives text while the model writes. */
  reader?: Reader | undefined;
  /** Called with each step when its tool calls have ended. The turn waits for it. */
  onStep?: ((step: TurnStep<Answer>) => void | Promise<void>) | undefined;
}

export interface TurnCall<Answer extends ToolAnswer> {
  id: string;
  name: string;
  /** The model's text, truncated to the limit. */
  rawInput: string;
  /** Undefined if it could not be parsed. */
  input?: Record<string, unknown>;
  /** Why the call was not made. */
  invalid?: InvalidCall;
  /** Undefined if the call was not made or had not ended. */
  answer?: Answer;
  startedAt?: number;
  endedAt?: number;
}

export interface TurnStep<Answer extends ToolAnswer> {
  index: number;
  /** Before the first attempt. */
  startedAt: number;
  /** After the last tool call. */
  endedAt: number;
  /** Start and end of the successful attempt. */
  modelStartedAt: number;
  modelEndedAt: number;
  attempts: number;
  text: string;
  calls: TurnCall<Answer>[];
  usage: Usage;
  /** The provider's own value. */
  rawUsage?: unknown;
  finish: StepFinish;
  responseId?: string;
  /** The provider's name of the model that answered. */
  responseModel?: string;
  /** Parts that were dropped because of limits. */
  cut?: { text?: true; calls?: number };
}

export type TurnFinish =
  | 'stop'
  | 'length'
  | 'content-filter'
  /** Another reason of the model, in the last step. */
  | 'other'
  /** The model wanted to continue. */
  | 'step-limit'
  | 'aborted'
  | 'error';

export interface TurnOutcome<Answer extends ToolAnswer> {
  finish: TurnFinish;
  /** The last text of the model. */
  text: string;
  steps: TurnStep<Answer>[];
  /** The messages of this turn. Each call in them has a result. */
  messages: TurnMessage[];
  usage: Usage;
  /** Why the turn ended with `error` or `aborted`: a `ModelFailure`, or the rejection of `callTool`. */
  error?: Error;
}

/**
 * Asks the model, makes its tool calls, returns their results to it, and repeats until it makes no more calls. Never
 * rejects because of a model or tool: an error in a late step must not lose the earlier ones.
 */
export async function runTurn<Answer extends ToolAnswer>(
  options: TurnOptions<Answer>,
): Promise<TurnOutcome<Answer>> {
  const { system, history, tools, stepLimit = 20, signal, clock, onStep } = options;
  // Every tool call adds a listener.
  setMaxListeners(0, signal);
  const steps: TurnStep<Answer>[] = [];
  const messages: TurnMessage[] = [];
  const prompt = promptOf(system, history);
  const offered = tools.map(offeredTool);
  const names = new Set(tools.map(({ name }) => name));
  const usedIds = idsIn(history);
  const end = (finish: TurnFinish, error?: Error): TurnOutcome<Answer> => ({
    finish,
    text: steps.at(-1)?.text ?? '',
    steps,
    messages,
    usage: sumOfUsage(steps.map(({ usage }) => usage)),
    ...(error && { error }),
  });

  for (;;) {
    const startedAt = clock();
    const answer = await ask(options, prompt, offered);
    if ('failure' in answer)
      return end(answer.failure.kind === 'aborted' ? 'aborted' : 'error', answer.failure);
    const { result, ...timing } = answer;
    const read = readStep(result, names, usedIds);
    const step: TurnStep<Answer> = {
      index: steps.length,
      startedAt,
      endedAt: clock(),
      ...timing,
      ...read.facts,
    };
    steps.push(step);

    const trouble = read.hasCalls ? await makeCalls(step.calls, options) : undefined;
    step.endedAt = clock();
    addMessages(messages, prompt, read, step);
    await onStep?.(step);
    if (signal.aborted) return end('aborted', givenUp());
    if (trouble) return end('error', trouble);
    if (!read.hasCalls) return end(read.finish, read.error);
    if (steps.length >= stepLimit) return end('step-limit');
  }
}

async function ask<Answer extends ToolAnswer>(
  { model, temperature, maxOutputTokens, signal, clock, reader }: TurnOptions<Answer>,
  prompt: ReturnType<typeof promptOf>,
  tools: LanguageModelV3FunctionTool[],
): Promise<ModelAnswer | { failure: ModelFailure }> {
  try {
    if (signal.aborted) throw givenUp();
    const call: ModelCall = {
      prompt,
      ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' } }),
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      abortSignal: signal,
    };
    return await unlessAborted(model.generate(call, reader), signal);
  } catch (error) {
    return { failure: failureOf(error, { signal, now: clock() }) };
  }
}

/** Makes the valid calls, concurrently or one by one. Returns the error that ends the turn, or undefined. */
async function makeCalls<Answer extends ToolAnswer>(
  calls: TurnCall<Answer>[],
  { callTool, parallel = true, signal, clock }: TurnOptions<Answer>,
): Promise<Error | undefined> {
  const make = async (call: TurnCall<Answer>): Promise<void> => {
    if (call.invalid || call.input === undefined) return;
    call.startedAt = clock();
    const { id, name, input } = call;
    // Not every tool stops when it is aborted.
    call.answer = await unlessAborted(callTool({ id, name, input, signal }), signal);
    call.endedAt = clock();
  };
  if (parallel) {
    const ends = await Promise.allSettled(calls.map(make));
    const failed = ends.find((one) => one.status === 'rejected');
    return failed && asError(failed.reason);
  }
  try {
    for (const call of calls) {
      if (signal.aborted) throw givenUp();
      await make(call);
    }
  } catch (error) {
    return asError(error);
  }
  return undefined;
}

/** Adds a step to the stored messages and, with the provider's metadata, to the prompt. */
function addMessages<Answer extends ToolAnswer>(
  messages: TurnMessage[],
  prompt: ReturnType<typeof promptOf>,
  { storedParts, modelParts, hasCalls }: ReadStep,
  { calls }: TurnStep<Answer>,
): void {
  if (storedParts.length > 0) messages.push({ role: 'assistant', content: storedParts });
  if (!hasCalls) return;
  const results = calls.map(({ id, name, answer, invalid }) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: name,
    output: answer?.output ?? {
      type: 'error-text' as const,
      value: invalid?.message ?? 'The call was aborted.',
    },
  }));
  messages.push({ role: 'tool', content: results });
  const forModel = results.map((part) => ({ ...part, toolName: nameForModel(part.toolName) }));
  prompt.push({ role: 'assistant', content: modelParts }, { role: 'tool', content: forModel });
}

/** Providers require a schema of type object, and one of them also `properties`. */
function offeredTool({ name, description, inputSchema }: OfferedTool): LanguageModelV3FunctionTool {
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    inputSchema:
      inputSchema['type'] === 'object' && 'properties' in inputSchema
        ? inputSchema
        : { ...inputSchema, type: 'object', properties: inputSchema['properties'] ?? {} },
  };
}

function idsIn(history: readonly TurnMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const { content } of history)
    for (const part of typeof content === 'string' ? [] : content)
      if (part.type === 'tool-call') ids.add(part.toolCallId);
  return ids;
}

function givenUp(): ModelFailure {
  return new ModelFailure('aborted', 'The turn was aborted');
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
