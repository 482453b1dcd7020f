/** A request that every MCP server of its era answers. */
export interface HandshakeRequest {
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

/** For revisions with sessions. */
export const initialize: HandshakeRequest = {
  name: 'initialize',
  headers,
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: newestLegacy, capabilities: {}, clientInfo },
  },
};

/** For revisions without sessions. */
export const discover: HandshakeRequest = {
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
