/** mcp-proxy imports this for its `--tunnel` flag, which no test uses. */
export function pipenet() {
  throw new Error('Tests do not open tunnels to the outside');
}
