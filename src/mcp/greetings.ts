/** A request that any MCP server of its era answers. */
export interface Greeting {
  name: string;
  headers: Record<string, string>;
  body: object;
}

const newest = '2026-07-28';
const newestLegacy = '2025-11-25';
const clientInfo = { name: 'drydock-probe', version: '1.0.0' };

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** As of the revisions with sessions. */
export const initialize: Greeting = {
  name: 'initialize',
  headers,
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: newestLegacy, capabilities: {}, clientInfo },
  },
};

/** As of the revisions without. */
export const discover: Greeting = {
  name: 'server/discover',
  headers: { ...headers, 'mcp-protocol-version': newest, 'mcp-method': 'server/discover' },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': newest,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
};
