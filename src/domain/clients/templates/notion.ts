import type { ClientTemplate } from './template.ts';

export const notion: ClientTemplate = {
  id: 'notion',
  label: 'Notion',
  about: "Notion's assistant: tools only.",
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 1,
  clientInfo: { name: 'notion', version: '1.0.0' },
  supportedProtocolVersions: ['2025-11-25'],
};
