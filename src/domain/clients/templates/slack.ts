import type { ClientTemplate } from './template.ts';

export const slack: ClientTemplate = {
  id: 'slack',
  label: 'Slack',
  about: "Slack's bot: tools only, one revision behind.",
  modelId: 'openai/gpt-5-nano',
  temperature: 0.7,
  clientInfo: { name: 'Slackbot MCP Client', version: '1.0.0' },
  supportedProtocolVersions: ['2025-06-18'],
};
