import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import { failureOf, type ModelFailure, shortestKey } from './failure.ts';
import { HiddenKey } from './hidden-key.ts';
import type { ModelRoute } from './resolve.ts';
import { modelOverWire } from './wires.ts';

/** Maximum output tokens where a protocol requires a value, for models with a known limit and for others. */
const outputTokenCap = 32_000;
/** Sent to Anthropic, which requires a limit, if the limit of the model is unknown. */
const unknownModelOutputTokens = 8_192;

/**
 * Connects to the model of a route. Never retries, fails with a `ModelFailure`, and omits options that the model does
 * not accept.
 */
export async function connectModel(route: ModelRoute): Promise<LanguageModelV3> {
  const model = await modelOverWire(route);
  if (route.wire === 'rehearsal') return model;
  const failed = (error: unknown, { abortSignal: signal }: LanguageModelV3CallOptions): ModelFailure =>
    failureOf(error, { signal, credential: route.credential, now: Date.now() });
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options) => {
      try {
        return withoutKey(await model.doGenerate(adapted(options, route)), route);
      } catch (error) {
        throw failed(error, options);
      }
    },
    doStream: async (options) => {
      try {
        const { stream, ...rest } = await model.doStream(adapted(options, route));
        const named = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
          transform: (part, controller) =>
            controller.enqueue(
              part.type === 'error' ? { ...part, error: failed(part.error, options) } : part,
            ),
        });
        return { ...rest, stream: stream.pipeThrough(named).pipeThrough(withoutKeyInParts(route)) };
      } catch (error) {
        throw failed(error, options);
      }
    },
  };
}

/** Hides the key in an answer, because a provider or a proxy may echo it. */
function withoutKey(
  result: LanguageModelV3GenerateResult,
  { credential }: ModelRoute,
): LanguageModelV3GenerateResult {
  const { content, finishReason, usage, response } = result;
  const read = { content, finishReason, response: { id: response?.id, modelId: response?.modelId } };
  const hidden = hideKey(read, credential?.reveal() ?? '');
  return hidden === read ? result : ({ ...hidden, usage, warnings: [] } as LanguageModelV3GenerateResult);
}

/** Returns the value itself if it does not contain the key. */
function hideKey<T>(value: T, key: string): T {
  const forms = [JSON.stringify(key).slice(1, -1), encodeURIComponent(key.toWellFormed())];
  const text = JSON.stringify(value);
  if (key.length < shortestKey || !forms.some((form) => text.includes(form))) return value;
  return JSON.parse(forms.reduce((shown, form) => shown.replaceAll(form, '[hidden]'), text)) as T;
}

/** Redacts the API key in a streamed response. */
function withoutKeyInParts({
  credential,
}: ModelRoute): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  const key = credential?.reveal() ?? '';
  if (key.length < shortestKey) return new TransformStream();
  const texts = new Map<string, HiddenKey>();
  return new TransformStream({
    transform: (part, controller) => {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const text = texts.get(part.id) ?? new HiddenKey(key);
        texts.set(part.id, text);
        controller.enqueue({ ...part, delta: text.next(part.delta) });
        return;
      }
      if (part.type === 'text-end' || part.type === 'reasoning-end') {
        const delta = texts.get(part.id)?.rest() ?? '';
        const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta';
        if (delta !== '') controller.enqueue({ type, id: part.id, delta });
      }
      // Errors contain no key, and JSON would not preserve them.
      controller.enqueue(part.type === 'error' ? part : hideKey(part, key));
    },
  });
}

function adapted(options: LanguageModelV3CallOptions, route: ModelRoute): LanguageModelV3CallOptions {
  const { temperature, maxOutputTokens, providerOptions, ...rest } = options;
  const most = outputTokens(maxOutputTokens, route);
  return {
    ...rest,
    ...(temperature !== undefined && route.temperature && { temperature }),
    ...(most !== undefined && { maxOutputTokens: most }),
    ...withOptions(providerOptions, route),
  };
}

/** With the Responses API, nothing is stored at the provider; reasoning is sent back and forth instead. */
function withOptions(
  providerOptions: LanguageModelV3CallOptions['providerOptions'],
  { wire }: ModelRoute,
): Pick<LanguageModelV3CallOptions, 'providerOptions'> {
  if (wire !== 'openai-responses' && wire !== 'azure-responses')
    return providerOptions ? { providerOptions } : {};
  const library = wire === 'azure-responses' ? 'azure' : 'openai';
  return {
    providerOptions: { ...providerOptions, [library]: { store: false, ...providerOptions?.[library] } },
  };
}

/** Maximum output tokens of a call; 32,000 if neither the request nor the model sets a limit. */
export function outputTokenLimit(asked: number | undefined, route: ModelRoute): number {
  return outputTokens(asked, route) ?? route.limits.maxOutputTokens ?? outputTokenCap;
}

/**
 * The requested output limit, capped by the model's. If this deployment pays, the known limit is always sent, because
 * that amount is reserved. Otherwise only one protocol requires a value, for which the library would invent one.
 */
function outputTokens(asked: number | undefined, { wire, limits, billed }: ModelRoute): number | undefined {
  const most = limits.maxOutputTokens;
  if (asked !== undefined) return Math.min(asked, most ?? asked);
  if (wire !== 'anthropic') return billed === 'operator' ? most : undefined;
  return most === undefined ? unknownModelOutputTokens : Math.min(most, outputTokenCap);
}
