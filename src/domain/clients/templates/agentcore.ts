import type { ClientTemplate } from './template.ts';

export const agentcore: ClientTemplate = {
  id: 'agentcore',
  label: 'Amazon Bedrock AgentCore',
  about: 'Bedrock AgentCore: a gateway in front of agents, one revision behind.',
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 0.7,
  clientInfo: { name: 'bedrock-agentcore', version: '1.0.0' },
  supportedProtocolVersions: ['2025-06-18'],
};
