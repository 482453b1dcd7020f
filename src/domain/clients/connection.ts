export interface ClientConnection {
  headers: Record<string, string>;
  clientInfo?: { name: string; version: string };
  clientCapabilities?: Record<string, unknown>;
  protocolVersion?: string;
  supportedVersions?: string[];
  /** Whether widgets get `window.openai`. */
  openAiWidgets?: boolean;
}

/** Connection settings of a client, from its configuration. */
export function connectionOf(config: Record<string, unknown>): ClientConnection {
  const { headers = {} } = (config['connectionDefaults'] ?? {}) as { headers?: Record<string, string> };
  const profile = (config['mcpProfile'] ?? {}) as {
    mcpProtocolVersion?: string;
    apps?: { compatRuntime?: { openaiApps?: boolean } };
    initialize?: { clientInfo?: { name: string; version: string }; supportedProtocolVersions?: string[] };
  };
  const { clientInfo, supportedProtocolVersions } = profile.initialize ?? {};
  const capabilities = config['clientCapabilities'] as Record<string, unknown> | undefined;
  const openaiApps = profile.apps?.compatRuntime?.openaiApps;
  const pinned = profile.mcpProtocolVersion;
  return {
    headers,
    ...(clientInfo && { clientInfo }),
    ...(capabilities && Object.keys(capabilities).length > 0 && { clientCapabilities: capabilities }),
    ...(pinned !== undefined && pinned !== 'auto' && { protocolVersion: pinned }),
    ...(supportedProtocolVersions && { supportedVersions: supportedProtocolVersions }),
    ...(typeof openaiApps === 'boolean' && { openAiWidgets: openaiApps }),
  };
}
