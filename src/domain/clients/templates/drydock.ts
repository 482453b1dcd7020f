import { version } from '../../../platform/version.ts';
import type { ClientTemplate } from './template.ts';

export const drydock: ClientTemplate = {
  id: 'drydock',
  label: 'Drydock',
  about:
    'Our own: no product in particular, every revision, no limits, a plain prompt. For tests of the server alone.',
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 0,
  systemPrompt: 'Use the tools to do what the user asks. Say plainly when a tool fails.',
  clientInfo: { name: 'drydock', version },
  supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  protocolVersion: 'auto',
};
