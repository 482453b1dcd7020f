import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { initializeResult, methodNotFound, sendError, sendResult } from './legacy.ts';
import { asTarget, listen, type Rpc, readRpc, sendJson, type Target } from './listen.ts';
import { makeCertificate } from './tls.ts';

export const token = 'listable-token-9f3c';
const host = 'listable.example';

/** How the server behaves, in what directories look at. */
export interface Behaviour {
  /** Without it, everybody is let in. */
  authorizes: boolean;
  /** The WWW-Authenticate header of a 401. */
  challenge: string | undefined;
  resourceMetadata: object | undefined;
  authorizationServer: object | undefined;
  registers: boolean;
  checksOrigin: boolean;
  transport: 'streamable-http' | 'sse';
  tools: object[];
  /** The contents of `ui://listable/ships`. */
  interface: { mimeType: string; text: string; _meta?: object } | undefined;
  domainToken: string | undefined;
  skills: object[] | undefined;
  /** By path: where it sends people, or what it does instead. */
  paths: Record<string, string | ((response: ServerResponse) => void)>;
  /** Instead of what the method answers. */
  methods: Record<string, (rpc: Rpc, response: ServerResponse) => void>;
}

export interface Listable extends Target {
  url: string;
  /** The server without TLS. */
  plainUrl: string;
  origin: string;
  port: number;
  certificate: string;
  /** In every respect as the directories want it. */
  good: Behaviour;
  behaviour: Behaviour;
  asked: string[];
}

/** A tool as both directories want it. */
export const goodTool = {
  name: 'list_ships',
  title: 'List ships',
  description: 'Lists the ships in the drydock.',
  inputSchema: { type: 'object', properties: { dock: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { ships: { type: 'array' } } },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  _meta: { ui: { resourceUri: 'ui://listable/ships', visibility: ['model', 'app'] } },
};

/** A server that could be listed, and can be told to do one thing wrong. */
export async function startListable(): Promise<Listable> {
  const { key, certificate } = await makeCertificate(host);
  const asked: string[] = [];
  const streams = new Set<ServerResponse>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { rpc, body } = await readRpc(request);
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    asked.push(`${request.method} ${path} ${rpc?.method ?? ''}`.trim());
    answerAs(target.behaviour, { request, response, rpc, body, path, streams });
  };
  const plain = await listen(answer, createServer());
  const secure = await listen(answer, createSecureServer({ key, cert: certificate }));
  const origin = `https://${host}:${secure.port}`;
  const url = `${origin}/mcp`;
  const good = goodBehaviour(origin, url);
  const target: Listable = asTarget(
    {
      url,
      plainUrl: `http://${host}:${plain.port}/mcp`,
      origin,
      port: secure.port,
      certificate,
      good,
      behaviour: good,
      asked,
    },
    async () => {
      await Promise.all([plain.stop(), secure.stop()]);
    },
  );
  return target;
}

function goodBehaviour(origin: string, url: string): Behaviour {
  const domain = `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.claudemcpcontent.com`;
  return {
    authorizes: true,
    challenge: `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    resourceMetadata: { resource: url, authorization_servers: [origin], scopes_supported: ['ships'] },
    authorizationServer: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
    },
    registers: true,
    checksOrigin: true,
    transport: 'streamable-http',
    tools: [goodTool],
    interface: {
      mimeType: 'text/html;profile=mcp-app',
      text: '<!doctype html><img src="https://cdn.listable.example/ship.png"><a href="https://elsewhere.example">x</a>',
      _meta: {
        ui: { domain, csp: { connectDomains: [], resourceDomains: ['https://cdn.listable.example'] } },
      },
    },
    domainToken: 'token-of-the-domain',
    skills: undefined,
    paths: {},
    methods: {},
  };
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  rpc: Rpc | undefined;
  body: string;
  path: string;
  streams: Set<ServerResponse>;
}

function answerAs(behaviour: Behaviour, asked: Asked): void {
  const { request, response, path } = asked;
  const special = behaviour.paths[path];
  if (typeof special === 'function') return special(response);
  if (special !== undefined) return void response.writeHead(307, { location: special }).end();
  if (path.startsWith('/.well-known/')) return publish(behaviour, path, response);
  if (path === '/register') return register(behaviour, asked);
  if (behaviour.authorizes && request.headers.authorization !== `Bearer ${token}`) {
    const { challenge } = behaviour;
    return void response
      .writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge })
      .end();
  }
  if (behaviour.checksOrigin && request.headers.origin !== undefined)
    return void response.writeHead(403).end();
  if (behaviour.transport === 'sse') return overEvents(behaviour, asked);
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  converse(behaviour, asked);
}

function publish(behaviour: Behaviour, path: string, response: ServerResponse): void {
  if (path === '/.well-known/openai-apps-challenge' && behaviour.domainToken !== undefined)
    return void response.writeHead(200, { 'content-type': 'text/plain' }).end(behaviour.domainToken);
  const document = path.startsWith('/.well-known/oauth-protected-resource')
    ? behaviour.resourceMetadata
    : path === '/.well-known/oauth-authorization-server'
      ? behaviour.authorizationServer
      : undefined;
  if (!document) return void response.writeHead(404).end();
  sendJson(response, document);
}

function register(behaviour: Behaviour, { response, body }: Asked): void {
  if (!behaviour.registers) return sendJson(response, { error: 'access_denied' }, 403);
  sendJson(response, { ...(JSON.parse(body) as object), client_id: 'registered-client' }, 201);
}

function converse(behaviour: Behaviour, { request, response, rpc, path }: Asked): void {
  const exchange = { request, response, rpc, path, origin: '' };
  if (!rpc) return sendError(exchange, { code: -32700, message: 'Parse error' }, 400);
  if (rpc.id === undefined) return void response.writeHead(202).end();
  const special = behaviour.methods[rpc.method];
  if (special) return special(rpc, response);
  const result = resultOf(behaviour, rpc);
  if (result) sendResult(exchange, result);
  else sendError(exchange, methodNotFound);
}

function resultOf(behaviour: Behaviour, { method, params }: Rpc): object | undefined {
  const extensions = behaviour.skills && { extensions: { 'io.modelcontextprotocol/skills': {} } };
  switch (method) {
    case 'initialize':
      return initializeResult('2025-11-25', { tools: {}, resources: {}, ...extensions });
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: behaviour.tools };
    case 'resources/list':
      return { resources: [{ uri: 'ui://listable/ships', name: 'ships' }] };
    case 'skills/list':
      return behaviour.skills && { skills: behaviour.skills };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'Albatross' }], structuredContent: { ships: [] } };
    case 'resources/read':
      return behaviour.interface && { contents: [{ uri: params?.uri, ...behaviour.interface }] };
    default:
      return undefined;
  }
}

/** The transport of 2024-11-05: answers come on the stream that a GET has opened. */
function overEvents(behaviour: Behaviour, { request, response, rpc, path, streams }: Asked): void {
  if (request.method === 'GET' && path === '/mcp') {
    streams.add(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.write('event: endpoint\ndata: /messages\n\n');
  }
  if (path !== '/messages' || !rpc) return void response.writeHead(405, { allow: 'GET' }).end();
  response.writeHead(202).end();
  if (rpc.id === undefined) return;
  const result = resultOf(behaviour, rpc);
  const answer = { jsonrpc: '2.0', id: rpc.id, ...(result ? { result } : { error: methodNotFound }) };
  for (const stream of streams) stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
}
