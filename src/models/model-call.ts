import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import type { Clock } from '../platform/clock.ts';
import { counters } from '../platform/telemetry/metrics.ts';
import { inSpan, isTracing } from '../platform/telemetry/tracing.ts';
import { failureOf, ModelFailure, unlessAborted } from './failure.ts';
import { generateStreaming, type Reader } from './streamed.ts';
import { usageOf } from './usage.ts';

export type ModelCall = LanguageModelV3CallOptions & { abortSignal: AbortSignal };

export interface ModelAnswer {
  result: LanguageModelV3GenerateResult;
  attempts: number;
  /** Start and end of the successful attempt. */
  modelStartedAt: number;
  modelEndedAt: number;
}

/** A model to ask. An implementation may retry, pace and book the calls. */
export interface CallableModel {
  modelId: string;
  /** Rejects with `ModelFailure`. The reader receives text while the model writes. */
  generate: (call: ModelCall, reader?: Reader) => Promise<ModelAnswer>;
}

/** Returns a function that makes an attempt each time. Any error of an attempt becomes a `ModelFailure`. */
export function attemptsOf(
  model: LanguageModelV3,
  call: ModelCall,
  reader: Reader | undefined,
  clock: Clock,
): () => Promise<ModelAnswer> {
  let attempts = 0;
  return async () => {
    attempts++;
    if (attempts > 1) reader?.restart();
    const modelStartedAt = clock();
    // A copy, because the library may keep the prompt and a turn appends to it.
    const sent = { ...call, prompt: [...call.prompt] };
    try {
      const result = await unlessAborted(tracedCall(model, sent, reader), call.abortSignal);
      return { result, attempts, modelStartedAt, modelEndedAt: clock() };
    } catch (error) {
      throw failureOf(error, { signal: call.abortSignal, now: clock() });
    }
  };
}

/**
 * Counts failures, and records a span with the attributes of OpenTelemetry. Neither prompt nor answer is recorded, and
 * the trace is not propagated to the provider.
 */
async function tracedCall(
  model: LanguageModelV3,
  call: ModelCall,
  reader: Reader | undefined,
): Promise<LanguageModelV3GenerateResult> {
  const { provider, modelId } = model;
  try {
    if (!isTracing()) return await generate(model, call, reader);
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider.split('.')[0] as string,
      'gen_ai.request.model': modelId,
    };
    return await inSpan(`chat ${modelId}`, { kind: 'client', attributes }, async (span) => {
      const result = await generate(model, call, reader);
      const { inputTokens, outputTokens } = usageOf(result.usage);
      span?.set({
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
        'gen_ai.response.finish_reason': result.finishReason.unified,
      });
      return result;
    });
  } catch (error) {
    if (error instanceof ModelFailure && error.kind !== 'spend-cap') counters.modelFailures.add(error.kind);
    throw error;
  }
}

function generate(
  model: LanguageModelV3,
  call: ModelCall,
  reader: Reader | undefined,
): PromiseLike<LanguageModelV3GenerateResult> {
  return reader ? generateStreaming(model, call, reader) : model.doGenerate(call);
}
