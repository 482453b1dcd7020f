import type { ClientTemplate } from './template.ts';

export const perplexity: ClientTemplate = {
  id: 'perplexity',
  label: 'Perplexity',
  about: 'Perplexity: tools only, one revision behind.',
  modelId: 'openai/gpt-5-nano',
  temperature: 0.7,
  clientInfo: { name: 'perplexity', version: '1.0.0' },
  supportedProtocolVersions: ['2025-06-18'],
};
