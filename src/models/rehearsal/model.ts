import type { LanguageModelV3 } from '@ai-sdk/provider';

export function rehearsalModel(): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'drydock',
    modelId: 'rehearsal',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not yet')),
    doStream: () => Promise.reject(new Error('not yet')),
  };
}
