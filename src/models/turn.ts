import { setMaxListeners } from 'node:events';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import type { Clock } from '../platform/clock.ts';
import { unlessAborted } from './abort.ts';
import { failureOf, ModelFailure } from './failure.ts';
import { nameForModel, promptOf, type ToolOutput, type TurnMessage } from './messages.ts';
import { type ReadStep, readStep, type StepFinish } from './step.ts';
import { generateAloud, type Reader } from './streamed.ts';
import type { InvalidCall } from './tool-input.ts';
import { tracedCall } from './traced-call.ts';
import { sumOfUsage, type Usage } from './usage.ts';

/** A tool as it is offered to the model. Its name is one that providers accept. */
export interface OfferedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** What a tool call came to. Callers add what they want to find in the steps again. */
export interface ToolAnswer {
  /** What the model is told. */
  output: ToolOutput;
  isError: boolean;
}

export interface ToolRequest {
  id: string;
  name: string;
  input: Record<string, unknown>;
  signal: AbortSignal;
}

/** One call of the model. It may be made again; each time the model is asked anew. */
export type ModelAttempt = () => Promise<LanguageModelV3GenerateResult>;

export interface TurnOptions<Answer extends ToolAnswer> {
  model: LanguageModelV3;
  /** The conversation so far; the last message is what the turn is about. */
  history: readonly TurnMessage[];
  system?: string | undefined;
  temperature?: number | undefined;
  maxOutputTokens?: number | undefined;
  tools: readonly OfferedTool[];
  /** Makes a call. A tool that fails is an answer; a rejection means that the turn cannot go on. */
  callTool: (request: ToolRequest) => Promise<Answer>;
  /** Calls of the model at most; 20 unless told. */
  mostSteps?: number | undefined;
  /** Whether the calls of one step run together; they do unless told. */
  parallel?: boolean | undefined;
  signal: AbortSignal;
  clock: Clock;
  /** Stands around each call of the model: retries, pacing, ledger. */
  callModel?: ((attempt: ModelAttempt, step: number) => Promise<LanguageModelV3GenerateResult>) | undefined;
  /** Reads along while the model writes. */
  reader?: Reader | undefined;
  /** Told of each step when its tool calls have ended. The turn waits for it. */
  onStep?: ((step: TurnStep<Answer>) => void | Promise<void>) | undefined;
}

export interface TurnCall<Answer extends ToolAnswer> {
  id: string;
  name: string;
  /** As the model wrote it, cut where it is longer than is read. */
  rawInput: string;
  /** Absent when it could not be read. */
  input?: Record<string, unknown>;
  /** Why the call was not made. */
  invalid?: InvalidCall;
  /** Absent when the call was not made or had not ended. */
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
  /** The attempt that was answered. */
  modelStartedAt: number;
  modelEndedAt: number;
  /** How often the model was asked. */
  attempts: number;
  text: string;
  calls: TurnCall<Answer>[];
  usage: Usage;
  /** As the provider wrote it. */
  rawUsage?: unknown;
  finish: StepFinish;
  responseId?: string;
  /** The model that answered, as the provider calls it. */
  responseModel?: string;
  /** What was left out because there was too much of it. */
  cut?: { text?: true; calls?: number };
}

export type TurnFinish =
  | 'stop'
  | 'length'
  | 'content-filter'
  /** Any other reason of the model to stop; the last step says which. */
  | 'other'
  /** The model would have gone on. */
  | 'step-limit'
  | 'aborted'
  | 'error';

export interface TurnOutcome<Answer extends ToolAnswer> {
  finish: TurnFinish;
  /** The last text of the model. */
  text: string;
  steps: TurnStep<Answer>[];
  /** What this turn added to the history. Each call in it has a result. */
  messages: TurnMessage[];
  usage: Usage;
  /** Why it ended with `error` or `aborted`: a `ModelFailure`, or what `callTool` rejected with. */
  error?: Error;
}

/**
 * Asks the model, makes the calls it wants, tells it the results, and so on until it wants none. The turn never rejects
 * for what a model or a tool does: an error at a late step must not lose the earlier ones.
 */
export async function runTurn<Answer extends ToolAnswer>(
  options: TurnOptions<Answer>,
): Promise<TurnOutcome<Answer>> {
  const { system, history, tools, mostSteps = 20, signal, clock, onStep } = options;
  // Every call of a tool listens to it.
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
    const asked = await askModel(options, prompt, offered, steps.length);
    if (asked.failure) return end(asked.failure.kind === 'aborted' ? 'aborted' : 'error', asked.failure);
    const read = readStep(asked.result, names, usedIds);
    const { timing } = asked;
    const step: TurnStep<Answer> = {
      index: steps.length,
      startedAt,
      endedAt: clock(),
      ...timing,
      ...read.facts,
    };
    steps.push(step);

    const trouble = read.goesOn ? await makeCalls(step.calls, options) : undefined;
    step.endedAt = clock();
    addMessages(messages, prompt, read, step);
    await onStep?.(step);
    if (signal.aborted) return end('aborted', givenUp());
    if (trouble) return end('error', trouble);
    if (!read.goesOn) return end(read.finish, read.error);
    if (steps.length >= mostSteps) return end('step-limit');
  }
}

type Asked =
  | {
      result: LanguageModelV3GenerateResult;
      timing: { modelStartedAt: number; modelEndedAt: number; attempts: number };
      failure?: never;
    }
  | { failure: ModelFailure };

async function askModel<Answer extends ToolAnswer>(
  {
    model,
    temperature,
    maxOutputTokens,
    signal,
    clock,
    callModel = (attempt) => attempt(),
    reader,
  }: TurnOptions<Answer>,
  prompt: ReturnType<typeof promptOf>,
  tools: LanguageModelV3FunctionTool[],
  step: number,
): Promise<Asked> {
  const timing = { modelStartedAt: 0, modelEndedAt: 0, attempts: 0 };
  const attempt: ModelAttempt = async () => {
    timing.attempts++;
    timing.modelStartedAt = clock();
    try {
      if (timing.attempts > 1) reader?.restart();
      const call: LanguageModelV3CallOptions = {
        // The library may hold on to it, and the next step adds to it.
        prompt: [...prompt],
        ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' } }),
        ...(temperature !== undefined && { temperature }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        abortSignal: signal,
      };
      const asked = tracedCall(model, () =>
        reader ? generateAloud(model, call, reader) : model.doGenerate(call),
      );
      return await unlessAborted(asked, signal);
    } catch (error) {
      throw failureOf(error, { signal, now: clock() });
    } finally {
      timing.modelEndedAt = clock();
    }
  };
  try {
    if (signal.aborted) throw givenUp();
    return { result: await unlessAborted(callModel(attempt, step), signal), timing };
  } catch (error) {
    return { failure: failureOf(error, { signal, now: clock() }) };
  }
}

/** Makes the calls that can be made, together or one after the other. What went wrong with the turn itself, if anything. */
async function makeCalls<Answer extends ToolAnswer>(
  calls: TurnCall<Answer>[],
  { callTool, parallel = true, signal, clock }: TurnOptions<Answer>,
): Promise<Error | undefined> {
  const make = async (call: TurnCall<Answer>): Promise<void> => {
    if (call.invalid || call.input === undefined) return;
    call.startedAt = clock();
    const { id, name, input } = call;
    // Not every tool stops when it is told to.
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

/** The same for those who read and, with what providers want back, for the model. */
function addMessages<Answer extends ToolAnswer>(
  messages: TurnMessage[],
  prompt: ReturnType<typeof promptOf>,
  { said, saidToModel, goesOn }: ReadStep,
  { calls }: TurnStep<Answer>,
): void {
  if (said.length > 0) messages.push({ role: 'assistant', content: said });
  if (!goesOn) return;
  const results = calls.map(({ id, name, answer, invalid }) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: name,
    output: answer?.output ?? {
      type: 'error-text' as const,
      value: invalid?.message ?? 'The call was given up.',
    },
  }));
  messages.push({ role: 'tool', content: results });
  const forModel = results.map((part) => ({ ...part, toolName: nameForModel(part.toolName) }));
  prompt.push({ role: 'assistant', content: saidToModel }, { role: 'tool', content: forModel });
}

/** Providers refuse a schema that is none of an object, and one of them also an object without `properties`. */
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
  return new ModelFailure('aborted', 'The turn was given up');
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
