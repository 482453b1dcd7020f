import type { ClientTemplate } from './template.ts';

export const chatgpt: ClientTemplate = {
  id: 'chatgpt',
  label: 'ChatGPT',
  about: 'ChatGPT: takes the revision the server offers, renders apps.',
  modelId: 'openai/gpt-5-nano',
  temperature: 0.7,
  clientInfo: { name: 'openai-mcp', version: '1.0.0' },
  supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
  protocolVersion: 'auto',
  apps: { platform: 'web', displayModes: ['inline', 'fullscreen', 'pip'], openaiApps: true },
};
