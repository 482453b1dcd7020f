import type { ClientTemplate } from './template.ts';

export const claudeCode: ClientTemplate = {
  id: 'claude-code',
  label: 'Claude Code',
  about: 'Claude in a terminal: runs tools inside a coding harness in its own sandbox.',
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 1,
  clientInfo: { name: 'claude-code', version: '2.1.237' },
  clientCapabilities: { roots: {} },
  supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
  computer: { kind: 'personal' },
  harness: 'claude-code',
};
