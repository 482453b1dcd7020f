import type { ClientTemplate } from './template.ts';

export const n8n: ClientTemplate = {
  id: 'n8n',
  label: 'n8n',
  about: 'The MCP node of n8n: tools as steps of a workflow.',
  modelId: 'openai/gpt-5-nano',
  temperature: 0.7,
  clientInfo: { name: '@n8n/n8n-nodes-langchain.mcpClientTool', version: '1.3' },
  supportedProtocolVersions: ['2025-11-25'],
};
