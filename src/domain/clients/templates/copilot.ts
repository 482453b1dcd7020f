import type { ClientTemplate } from './template.ts';

export const copilot: ClientTemplate = {
  id: 'copilot',
  label: 'Microsoft Copilot',
  about: 'Microsoft Copilot: newest handshake revision, renders apps.',
  modelId: 'openai/gpt-5.3-chat',
  temperature: 0.7,
  clientInfo: { name: 'ms-copilot', version: '1.0.1' },
  supportedProtocolVersions: ['2025-11-25'],
  apps: { platform: 'web', displayModes: ['inline', 'fullscreen'], openaiApps: true },
};
