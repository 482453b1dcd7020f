const extension = 'io.modelcontextprotocol/ui';

/** The capabilities of a client, with MCP Apps among them: servers may name interfaces only to those who show them. */
export function declaringWidgets(capabilities: Record<string, unknown> = {}): Record<string, unknown> {
  const declared = capabilities['extensions'];
  const extensions = typeof declared === 'object' && declared !== null ? declared : {};
  return {
    ...capabilities,
    extensions: { [extension]: { mimeTypes: ['text/html;profile=mcp-app'] }, ...extensions },
  };
}
