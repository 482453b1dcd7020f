import type { ClientTemplate } from './template.ts';

export const cline: ClientTemplate = {
  id: 'cline',
  label: 'Cline',
  about: 'Cline in the editor: requires approval for every call.',
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 1,
  clientInfo: { name: 'Cline', version: '3.89.2' },
  supportedProtocolVersions: ['2025-11-25'],
};
