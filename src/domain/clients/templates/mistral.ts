import type { ClientTemplate } from './template.ts';

export const mistral: ClientTemplate = {
  id: 'mistral',
  label: 'Mistral Le Chat',
  about: 'Le Chat: newest handshake revision, tools only.',
  modelId: 'mistralai/mistral-large-2512',
  temperature: 0.7,
  clientInfo: { name: 'mcp', version: '0.1.0' },
  supportedProtocolVersions: ['2025-11-25'],
};
