import type { ClientTemplate } from './template.ts';

export const mcpjam: ClientTemplate = {
  id: 'mcpjam',
  label: 'MCPJam',
  about: "A developer's inspector with a chat: newest revision, renders apps written for the OpenAI SDK.",
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 0.7,
  clientInfo: { name: 'mcpjam' },
  clientCapabilities: { elicitation: {}, sampling: {} },
  supportedProtocolVersions: ['2025-11-25'],
  openaiApps: true,
};
