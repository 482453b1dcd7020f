import type { ClientTemplate } from './template.ts';

export const claude: ClientTemplate = {
  id: 'claude',
  label: 'Claude',
  about:
    'Claude on the web and desktop: takes the revision the server offers, renders apps, asks for approval of tools in its own interface.',
  modelId: 'anthropic/claude-haiku-4.5',
  temperature: 1,
  clientInfo: { name: 'claude-ai', version: '0.1.0' },
  supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25'],
  protocolVersion: 'auto',
  apps: { platform: 'web', displayModes: ['inline', 'fullscreen'] },
};
