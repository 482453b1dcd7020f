import type { ClientTemplate } from './template.ts';

export const cursor: ClientTemplate = {
  id: 'cursor',
  label: 'Cursor',
  about: 'The Cursor editor: offers the model every tool, including app-only tools; renders apps.',
  modelId: 'anthropic/claude-sonnet-4.5',
  temperature: 0.7,
  clientInfo: { name: 'cursor-vscode', version: '1.0.0' },
  clientCapabilities: { roots: {}, elicitation: {} },
  supportedProtocolVersions: ['2025-11-25'],
  respectToolVisibility: false,
  apps: { platform: 'desktop', displayModes: ['inline'] },
};
