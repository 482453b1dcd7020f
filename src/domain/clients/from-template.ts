import { Refusal } from '../../contract/errors.ts';
import { type ClientConfig, canonicalConfig } from './config.ts';
import { clientTemplates } from './templates/index.ts';
import type { ClientTemplate } from './templates/template.ts';

type Theme = 'light' | 'dark';

/** The configuration that behaves as a known product does. */
export function configFromTemplate(templateId: string, theme?: Theme): ClientConfig {
  const template = clientTemplates.find(({ id }) => id === templateId);
  if (!template)
    throw new Refusal('VALIDATION_ERROR', `template: There is no template ${JSON.stringify(templateId)}`, {
      details: { templates: clientTemplates.map(({ id }) => id) },
    });
  return configOf(template, theme);
}

/** What the host catalog shows of a template, and what a client made from it starts with. */
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

/** A client that renders MCP Apps says so when it connects; servers offer their widgets to no other. */
function capabilitiesOf({ clientCapabilities, apps }: ClientTemplate): ClientConfig {
  if (!apps) return { ...clientCapabilities };
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  return { ...clientCapabilities, extensions };
}

/** What an app is told about the place it is shown in. */
function placeOf({ apps }: ClientTemplate): ClientConfig {
  if (!apps) return {};
  const { platform, displayModes } = apps;
  return { platform, displayMode: displayModes[0], availableDisplayModes: displayModes };
}

/** How a template speaks the protocol. */
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
