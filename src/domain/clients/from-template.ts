import { Refusal } from '../../contract/errors.ts';
import { type ClientConfig, canonicalConfig } from './config.ts';
import { type ClientTemplate, clientTemplates } from './templates.ts';

type Theme = 'light' | 'dark';

/** Configuration that imitates a known product. */
export function configFromTemplate(templateId: string, theme?: Theme): ClientConfig {
  const template = clientTemplates.find(({ id }) => id === templateId);
  if (!template)
    throw new Refusal('VALIDATION_ERROR', `template: There is no template ${JSON.stringify(templateId)}`, {
      details: { templates: clientTemplates.map(({ id }) => id) },
    });
  return configOf(template, theme);
}

/** Shown in the host catalog, and the start of a client created from the template. */
export function configOf(template: ClientTemplate, theme: Theme = 'dark'): ClientConfig {
  return canonicalConfig({
    hostStyle: template.id,
    modelId: template.modelId,
    temperature: template.temperature,
    systemPrompt: template.systemPrompt,
    clientCapabilities: capabilitiesOf(template),
    hostContext: { theme, ...placeOf(template) },
    harness: template.harness,
    computer: template.computer,
    progressiveToolDiscovery: template.progressiveToolDiscovery,
    respectToolVisibility: template.respectToolVisibility ?? true,
    builtInToolIds: [],
    mcpProfile: profileOf(template),
  });
}

/** A client that renders MCP Apps declares the UI extension; servers offer widgets only to clients that declare it. */
function capabilitiesOf({ clientCapabilities, apps }: ClientTemplate): ClientConfig {
  if (!apps) return { ...clientCapabilities };
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  return { ...clientCapabilities, extensions };
}

/** Host context for apps. */
function placeOf({ apps }: ClientTemplate): ClientConfig {
  if (!apps) return {};
  const { platform, displayModes } = apps;
  return { platform, displayMode: displayModes[0], availableDisplayModes: displayModes };
}

function profileOf(template: ClientTemplate): ClientConfig {
  const { clientInfo, supportedProtocolVersions, protocolVersion, apps, toolLimit } = template;
  return {
    profileVersion: 1,
    mcpProtocolVersion: protocolVersion ?? supportedProtocolVersions.at(-1),
    initialize: { clientInfo, supportedProtocolVersions },
    ...(apps && { apps: { compatRuntime: { openaiApps: apps.openaiApps ?? false } } }),
    ...(toolLimit !== undefined && { toolLimit }),
  };
}
