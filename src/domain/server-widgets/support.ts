const extension = 'io.modelcontextprotocol/ui';

/** Client capabilities with MCP Apps added: servers may offer widgets only to clients that declare it. */
export function declaringWidgets(capabilities: Record<string, unknown> = {}): Record<string, unknown> {
  const declared = capabilities['extensions'];
  const extensions = typeof declared === 'object' && declared !== null ? declared : {};
  return {
    ...capabilities,
    extensions: { [extension]: { mimeTypes: ['text/html;profile=mcp-app'] }, ...extensions },
  };
}
