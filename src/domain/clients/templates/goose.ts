import type { ClientTemplate } from './template.ts';

export const goose: ClientTemplate = {
  id: 'goose',
  label: 'Goose',
  about: 'Goose on the desktop: an older revision, shows the model tools step by step, renders apps.',
  modelId: 'openai/gpt-5-nano',
  temperature: 0.7,
  clientInfo: { name: 'goose-desktop', version: '1.38.0' },
  clientCapabilities: { sampling: {}, elicitation: {} },
  supportedProtocolVersions: ['2025-03-26'],
  progressiveToolDiscovery: true,
  apps: { platform: 'desktop', displayModes: ['inline', 'fullscreen'] },
};
