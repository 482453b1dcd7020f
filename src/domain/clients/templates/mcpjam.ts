import type { ClientTemplate } from './template.ts';

export const mcpjam: ClientTemplate = {
  id: 'mcpjam',
  label: 'MCPJam',
  about:
    "A developer's inspector with a chat: newest revision, renders apps, also those written for the OpenAI SDK.",
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 0.7,
  clientInfo: { name: 'mcpjam', version: '1.0.0' },
  clientCapabilities: { elicitation: {}, sampling: {} },
  supportedProtocolVersions: ['2025-11-25'],
  apps: { platform: 'web', displayModes: ['inline', 'fullscreen', 'pip'], openaiApps: true },
};
