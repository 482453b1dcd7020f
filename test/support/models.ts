import type { LanguageModelV3 } from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';
import type { Wire } from '../../src/models/built-in.ts';
import { Credential } from '../../src/models/credential.ts';
import { attemptsOf, type CallableModel, type ModelAnswer } from '../../src/models/model-call.ts';
import type { ModelRoute } from '../../src/models/resolve.ts';
import { type Script, type ScriptedProvider, startProvider } from './scripted-provider.ts';

/** A provider that ends with the test. */
export async function providerForTest(script?: Script): Promise<ScriptedProvider> {
  const provider = await startProvider(script);
  onTestFinished(() => provider.close());
  return provider;
}

export const testKey = 'test-key-0123456789';

export function routeTo(
  provider: { url: string },
  wire: Wire = 'openai-chat',
  changes: Partial<ModelRoute> = {},
): ModelRoute {
  return {
    id: `test/${wire}`,
    provider: 'test',
    wire,
    baseUrl: provider.url,
    upstream: 'test-model',
    credential: new Credential(testKey),
    billed: 'operator',
    limits: {},
    temperature: true,
    pool: `test:${wire}`,
    ...changes,
  };
}

/** The model as turns ask it, without a ledger. `wrap` may repeat the attempt. */
export function callable(
  model: LanguageModelV3,
  clock: () => number,
  wrap: (attempt: () => Promise<ModelAnswer>) => Promise<ModelAnswer> = (attempt) => attempt(),
): CallableModel {
  return {
    modelId: model.modelId,
    generate: (call, reader) => wrap(attemptsOf(model, call, reader, clock)),
  };
}
