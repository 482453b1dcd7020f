import type { ClientTemplate } from './template.ts';

export const vscode: ClientTemplate = {
  id: 'vscode',
  label: 'Visual Studio Code',
  about:
    'Visual Studio Code: offers the model every tool, including app-only tools, up to 128 at once; renders apps.',
  modelId: 'anthropic/claude-sonnet-4.5',
  toolLimit: 128,
  temperature: 0.7,
  clientInfo: { name: 'Visual Studio Code', version: '1.130.0' },
  clientCapabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
  supportedProtocolVersions: ['2025-11-25'],
  respectToolVisibility: false,
  apps: { platform: 'desktop', displayModes: ['inline'] },
};
