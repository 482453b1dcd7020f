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

/** What one wire demands to be told, for models whose limit is written down and for others. */
const usualOutputTokens = { known: 32_000, unknown: 8_192 };

/**
 * The model at the end of a route. It never retries, fails with a `ModelFailure`, and leaves out what the model does not
 * accept.
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

/** A provider, or what stands in front of it, may repeat the key that it was sent. */
function withoutKey(
  result: LanguageModelV3GenerateResult,
  { credential }: ModelRoute,
): LanguageModelV3GenerateResult {
  const { content, finishReason, usage, response } = result;
  const read = { content, finishReason, response: { id: response?.id, modelId: response?.modelId } };
  const hidden = hideKey(read, credential?.reveal() ?? '');
  return hidden === read ? result : ({ ...hidden, usage, warnings: [] } as LanguageModelV3GenerateResult);
}

/** The value itself where the key is not in it. */
function hideKey<T>(value: T, key: string): T {
  const forms = [JSON.stringify(key).slice(1, -1), encodeURIComponent(key.toWellFormed())];
  const text = JSON.stringify(value);
  if (key.length < shortestKey || !forms.some((form) => text.includes(form))) return value;
  return JSON.parse(forms.reduce((shown, form) => shown.replaceAll(form, '[hidden]'), text)) as T;
}

/** The same for an answer that comes in parts. */
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
      // An error is without it already, and would not come back from JSON.
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

/** The Responses API keeps nothing at the provider; reasoning goes back and forth instead. */
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

/** Tokens that an answer has at most; of a model whose limit nobody has written down, as many as others have. */
export function mostOutputTokens(asked: number | undefined, route: ModelRoute): number {
  return outputTokens(asked, route) ?? route.limits.maxOutputTokens ?? usualOutputTokens.known;
}

/**
 * What was asked for, within what the model can. Where this deployment pays, the provider is told the known limit, since
 * that is what is reserved for the call. Otherwise only one wire needs a figure, and a library would invent one.
 */
function outputTokens(asked: number | undefined, { wire, limits, billed }: ModelRoute): number | undefined {
  const most = limits.maxOutputTokens;
  if (asked !== undefined) return Math.min(asked, most ?? asked);
  if (wire !== 'anthropic') return billed === 'operator' ? most : undefined;
  return most === undefined ? usualOutputTokens.unknown : Math.min(most, usualOutputTokens.known);
}
