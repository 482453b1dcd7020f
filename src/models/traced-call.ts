import type { LanguageModelV3, LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { counters } from '../platform/telemetry/metrics.ts';
import { inSpan, isTracing } from '../platform/telemetry/tracing.ts';
import { ModelFailure } from './failure.ts';
import { usageOf } from './usage.ts';

/**
 * Counts failures of a model call, and records a span with the attributes of OpenTelemetry. Neither prompt nor answer
 * is recorded, and the trace is not propagated to the provider.
 */
export async function tracedCall(
  { provider, modelId }: Pick<LanguageModelV3, 'provider' | 'modelId'>,
  call: () => PromiseLike<LanguageModelV3GenerateResult>,
): Promise<LanguageModelV3GenerateResult> {
  try {
    if (!isTracing()) return await call();
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider.split('.')[0] as string,
      'gen_ai.request.model': modelId,
    };
    return await inSpan(`chat ${modelId}`, { kind: 'client', attributes }, async (span) => {
      const result = await call();
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
