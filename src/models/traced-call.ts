import type { LanguageModelV3, LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { counters } from '../platform/telemetry/metrics.ts';
import { inSpan, isTracing } from '../platform/telemetry/tracing.ts';
import { ModelFailure } from './failure.ts';
import { usageOf } from './usage.ts';

/**
 * One call of a model: counted when it fails, and a span where somebody traces, in the words that OpenTelemetry has for
 * them. Neither what was asked nor what was answered is told, and the provider is not told of the trace.
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
