import type { ClientTemplate } from './template.ts';

export const mcpjam: ClientTemplate = {
  id: 'mcpjam',
  label: 'MCPJam',
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 0.7,
  clientInfo: { name: 'mcpjam' },
  supportedProtocolVersions: ['2025-11-25'],
  openaiApps: true,
};
