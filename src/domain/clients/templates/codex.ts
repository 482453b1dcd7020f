import type { ClientTemplate } from './template.ts';

export const codex: ClientTemplate = {
  id: 'codex',
  label: 'Codex',
  about: 'Codex: runs tools inside a coding harness, renders apps.',
  modelId: 'openai/gpt-5-nano',
  temperature: 0.7,
  clientInfo: { name: 'codex-mcp-client', version: '0.148.0-alpha.15' },
  supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
  apps: { platform: 'desktop', displayModes: ['inline', 'fullscreen'], openaiApps: true },
  harness: 'codex',
};
