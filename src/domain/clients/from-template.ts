import { Refusal } from '../../contract/errors.ts';
import { type Config, canonicalConfig } from './config.ts';
import { clientTemplates } from './templates/index.ts';
import { profileOf } from './templates/profile.ts';

/** The configuration that behaves as a known product does. */
export function configFromTemplate(templateId: string, theme: 'light' | 'dark' = 'dark'): Config {
  const template = clientTemplates.find(({ id }) => id === templateId);
  if (!template)
    throw new Refusal('VALIDATION_ERROR', `template: There is no template ${JSON.stringify(templateId)}`, {
      details: { templates: clientTemplates.map(({ id }) => id) },
    });
  return canonicalConfig({
    hostStyle: template.id,
    modelId: template.modelId,
    temperature: template.temperature,
    systemPrompt: template.systemPrompt,
    clientCapabilities: template.clientCapabilities,
    hostContext: { theme },
    harness: template.harness,
    computer: template.computer,
    progressiveToolDiscovery: template.progressiveToolDiscovery,
    respectToolVisibility: template.respectToolVisibility,
    mcpProfile: profileOf(template),
  });
}
