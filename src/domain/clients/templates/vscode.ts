import type { ClientTemplate } from './template.ts';

export const vscode: ClientTemplate = {
  id: 'vscode',
  label: 'Visual Studio Code',
  modelId: 'anthropic/claude-sonnet-4.5',
  temperature: 0.7,
  clientInfo: { name: 'Visual Studio Code', version: '1.130.0' },
  supportedProtocolVersions: ['2025-11-25'],
  respectToolVisibility: false,
};
