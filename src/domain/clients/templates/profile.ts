import type { ClientTemplate } from './template.ts';

/** How a template speaks the protocol, as a client's `mcpProfile`. */
export function profileOf(template: ClientTemplate): Record<string, unknown> {
  return {
    profileVersion: 1,
    mcpProtocolVersion: template.protocolVersion ?? template.supportedProtocolVersions.at(-1),
    supportedProtocolVersions: template.supportedProtocolVersions,
    initialize: { clientInfo: template.clientInfo },
    ...(template.openaiApps && { apps: { openaiApps: true } }),
    ...(template.toolLimit !== undefined && { toolLimit: template.toolLimit }),
  };
}
