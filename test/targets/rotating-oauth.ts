import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerWeb, asTarget, listen, readRpc, sendJson, type Target } from './listen.ts';

export interface RotatingOAuthOptions {
  /** Lifetime of access tokens in seconds; default 3600. */
  expiresIn?: number;
  /** The issuer, if it differs from the URL of the authorization server. */
  issuer?: string;
  /** A refresh returns no new refresh token, and the old one stays valid. */
  omitRefreshToken?: boolean;
  requireClientSecret?: boolean;
  scope?: string;
}

/** Tokens in the format of the import. */
interface IssuedTokens {
  serverUrl: string;
  authorizationServerUrl: string;
  clientInformation: { clientId: string; clientSecret?: string };
  tokens: TokenAnswer & { refresh_token: string };
}

interface TokenAnswer {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

interface Access {
  scope: string;
  expiresAt: number;
}

interface Refresh {
  accessToken: string;
  scope: string;
}

const client = { clientId: 'rotating-client', clientSecret: 'rotating-secret' };

export interface RotatingOAuth extends Target {
  url: string;
  authorizationServerUrl: string;
  /** Numbers of granted and of refused refreshes. */
  readonly refreshes: number;
  readonly refusedRefreshes: number;
  /** 401 answers of the MCP server. */
  readonly unauthorized: number;
  /** The form of every token request. */
  tokenRequests: Record<string, string>[];
  issueTokens(scope?: string): IssuedTokens;
  expireAccessTokens(): void;
  revokeRefreshTokens(): void;
  /** Delays the answer of a refresh; until then the caller has two dead tokens, which rotate at once. */
  delayRefresh(milliseconds: number): void;
  requireScope(scope: string | undefined): void;
  /** Makes the MCP server name another issuer from now on. */
  nameIssuer(url: string): void;
}

/** An MCP server behind bearer tokens whose authorization server revokes both old tokens with each refresh. */
export async function startRotatingOAuth(options: RotatingOAuthOptions = {}): Promise<RotatingOAuth> {
  const { expiresIn = 3600, scope: grantedScope = 'read' } = options;
  const accessTokens = new Map<string, Access>();
  const refreshTokens = new Map<string, Refresh>();
  const tokenRequests: Record<string, string>[] = [];
  let [refreshes, refusedRefreshes, unauthorized, refreshDelay] = [0, 0, 0, 0];
  let requiredScope: string | undefined;
  let namedIssuer: string | undefined;

  const grantAccess = (scope: string): TokenAnswer => {
    const token = `at-${randomUUID()}`;
    accessTokens.set(token, { scope, expiresAt: Date.now() + expiresIn * 1000 });
    return { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope };
  };
  const grantBoth = (scope: string) => {
    const answer = grantAccess(scope);
    const token = `rt-${randomUUID()}`;
    refreshTokens.set(token, { accessToken: answer.access_token, scope });
    return { ...answer, refresh_token: token };
  };
  const rotate = (token: string): TokenAnswer | undefined => {
    const grant = refreshTokens.get(token);
    if (!grant) return undefined;
    accessTokens.delete(grant.accessToken);
    if (!options.omitRefreshToken) {
      refreshTokens.delete(token);
      return grantBoth(grant.scope);
    }
    const answer = grantAccess(grant.scope);
    refreshTokens.set(token, { ...grant, accessToken: answer.access_token });
    return answer;
  };

  const answerToken = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    tokenRequests.push(form);
    const refuse = (status: number, error: string): void => {
      refusedRefreshes++;
      sendJson(response, { error }, status);
    };
    if (!isClient(request, form, options.requireClientSecret)) return refuse(401, 'invalid_client');
    if (form.grant_type !== 'refresh_token') return refuse(400, 'unsupported_grant_type');
    const answer = rotate(form.refresh_token ?? '');
    if (answer) refreshes++;
    if (refreshDelay > 0) await delay(refreshDelay);
    if (!answer) return refuse(400, 'invalid_grant');
    sendJson(response, answer, 200, { 'cache-control': 'no-store' });
  };

  let authorizationServerUrl = '';
  const authorization = await listen(async (request, response) => {
    if (request.url === '/token' && request.method === 'POST') return answerToken(request, response);
    if (request.url !== '/.well-known/oauth-authorization-server') return void response.writeHead(404).end();
    sendJson(response, {
      issuer: options.issuer ?? authorizationServerUrl,
      authorization_endpoint: `${authorizationServerUrl}/authorize`,
      token_endpoint: `${authorizationServerUrl}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: options.requireClientSecret
        ? ['client_secret_basic', 'client_secret_post']
        : ['none'],
    });
  });
  authorizationServerUrl = `http://127.0.0.1:${authorization.port}`;

  const handler = createMcpHandler(createServer);
  const metadataPath = '/.well-known/oauth-protected-resource/mcp';
  const mcp = await listen(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === metadataPath)
      return sendJson(response, {
        resource: `${origin}/mcp`,
        authorization_servers: [namedIssuer ?? authorizationServerUrl],
        scopes_supported: [grantedScope],
        bearer_methods_supported: ['header'],
      });
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const { body } = await readRpc(request);
    const challenge = `Bearer resource_metadata="${origin}${metadataPath}"`;
    const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const access = accessTokens.get(sent ?? '');
    if (!access || access.expiresAt <= Date.now()) {
      unauthorized++;
      const error = sent === undefined ? '' : ', error="invalid_token"';
      const header = `${challenge}, scope="${requiredScope ?? grantedScope}"${error}`;
      return sendJson(response, { error: 'invalid_token' }, 401, { 'www-authenticate': header });
    }
    if (requiredScope !== undefined && !access.scope.split(' ').includes(requiredScope)) {
      const header = `${challenge}, error="insufficient_scope", scope="${requiredScope}"`;
      return sendJson(response, { error: 'insufficient_scope' }, 403, { 'www-authenticate': header });
    }
    await answerWeb(handler.fetch, request, response, body);
  });

  const url = `http://127.0.0.1:${mcp.port}/mcp`;
  const { clientSecret, ...publicClient } = client;
  const fixture = {
    url,
    authorizationServerUrl,
    tokenRequests,
    get refreshes() {
      return refreshes;
    },
    get refusedRefreshes() {
      return refusedRefreshes;
    },
    get unauthorized() {
      return unauthorized;
    },
    issueTokens: (scope = grantedScope): IssuedTokens => ({
      serverUrl: url,
      authorizationServerUrl,
      clientInformation: options.requireClientSecret ? { ...publicClient, clientSecret } : publicClient,
      tokens: grantBoth(scope),
    }),
    expireAccessTokens: () => accessTokens.clear(),
    revokeRefreshTokens: () => refreshTokens.clear(),
    delayRefresh: (milliseconds: number) => void (refreshDelay = milliseconds),
    requireScope: (scope: string | undefined) => void (requiredScope = scope),
    nameIssuer: (url: string) => void (namedIssuer = url),
  };
  return asTarget(fixture, async () => {
    await handler.close();
    await Promise.all([mcp.stop(), authorization.stop()]);
  });
}

/** The client secret may be in the header or in the form. */
function isClient(request: IncomingMessage, form: Record<string, string>, secretNeeded = false): boolean {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
    : [form.client_id, form.client_secret];
  return id === client.clientId && (!secretNeeded || secret === client.clientSecret);
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'rotating-oauth', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Repeat a text.', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  return server;
}
