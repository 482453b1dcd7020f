import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startGated } from './gated.ts';
import { type Hostile, startHostile } from './hostile.ts';
import { modernOnlyStdio, startModernOnly } from './modern-only.ts';
import {
  everythingStdio,
  filesystemStdio,
  memoryStdio,
  startEverything,
  startOAuthDemo,
} from './processes.ts';
import { startRotatingOAuth } from './rotating-oauth.ts';
import { startSelfSigned } from './tls.ts';

type Mode = 'auto' | 'legacy';

async function connect(transport: Transport, mode: Mode = 'auto'): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { approve: true } }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

function http(url: string, headers: Record<string, string> = {}): Transport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

function post(url: string, method: string, init: Init = {}, params: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    ...init,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...init.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

const rpc = async (response: Promise<Response>) => (await (await response).json()) as Record<string, unknown>;

describe('real servers', () => {
  test('over stdio', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drydock-targets-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const servers = [everythingStdio(), filesystemStdio(folder), memoryStdio(join(folder, 'm.json'))];
    const counts = servers.map(async (server) => {
      const client = await connect(new StdioClientTransport({ ...server, stderr: 'ignore' }), 'legacy');
      return (await client.listTools()).tools.length;
    });
    expect(await Promise.all(counts)).toEqual([14, 14, 9]);
  });

  test('everything over Streamable HTTP forgets its sessions in a restart', async () => {
    await using everything = await startEverything('streamableHttp');
    const client = await connect(http(everything.url));
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    await everything.restart();
    await expect(client.listTools()).rejects.toThrow('No valid session ID');
  });

  test('everything over SSE', async () => {
    await using everything = await startEverything('sse');
    const client = await connect(new SSEClientTransport(new URL(everything.url)), 'legacy');
    expect(client.getServerVersion()?.name).toBe('mcp-servers/everything');
  });

  test('the gateway wants its key and serves both eras', async () => {
    await using gated = await startGated('k');
    const headers = { 'x-api-key': 'k' };
    expect((await post(gated.url, 'initialize')).status).toBe(401);
    expect((await fetch(gated.sseUrl)).status).toBe(401);
    const client = await connect(http(gated.url, headers));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const legacy = await connect(http(gated.url, headers), 'legacy');
    expect(legacy.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const sse = new SSEClientTransport(new URL(gated.sseUrl), { requestInit: { headers } });
    await connect(sse, 'legacy');
  });

  test('the OAuth demo gives tokens that open it', async () => {
    await using demo = await startOAuthDemo();
    expect((await post(demo.url, 'initialize')).status).toBe(401);
    const { tokens, clientInformation, authorizationServerUrl } = await demo.obtainTokens();
    expect(authorizationServerUrl).toBe(demo.authorizationServerUrl);
    expect(clientInformation.clientId).toBeTruthy();
    const client = await connect(http(demo.url, { authorization: `Bearer ${tokens.access_token}` }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });
});

describe('modern only', () => {
  test('over HTTP, with parameter header and elicitation', async () => {
    await using modern = await startModernOnly();
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    expect(await rpc(post(modern.url, 'initialize', {}, initialize))).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'] } },
    });
    const client = await connect(http(modern.url));
    await client.listTools();
    await client.callTool({ name: 'in_region', arguments: { region: 'north' } });
    expect(modern.regions).toEqual(['north']);
    expect(modern.requests.at(-1)).toMatchObject({
      method: 'tools/call',
      headers: { 'mcp-name': 'in_region' },
    });
    const deployed = await client.callTool({ name: 'deploy', arguments: { what: 'it' } });
    expect(deployed.content).toEqual([{ type: 'text', text: 'deployed it' }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet' }]);
    expect(await client.readResource({ uri: 'modern://notes/7' })).toMatchObject({
      contents: [{ text: 'Note 7' }],
    });
  });

  test('over stdio', async () => {
    const open = () => new StdioClientTransport({ ...modernOnlyStdio(), stderr: 'ignore' });
    const client = await connect(open());
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    await expect(connect(open(), 'legacy')).rejects.toMatchObject({ code: -32022 });
  });
});

describe('rotating OAuth', () => {
  function refresh(base: string, token: string, extra: Record<string, string> = {}): Promise<Response> {
    const form = {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: 'rotating-client',
      ...extra,
    };
    return fetch(`${base}/token`, { method: 'POST', body: new URLSearchParams(form) });
  }

  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  test('a refresh revokes both old tokens', async () => {
    await using oauth = await startRotatingOAuth();
    const { tokens, serverUrl, authorizationServerUrl } = oauth.issueTokens();
    const client = await connect(http(serverUrl, bearer(tokens.access_token).headers));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const renewed = await rpc(refresh(authorizationServerUrl, tokens.refresh_token));
    const refused = await post(serverUrl, 'tools/list', bearer(tokens.access_token));
    expect(refused.headers.get('www-authenticate')).toMatch(
      /^Bearer resource_metadata="http.*", scope="read"/,
    );
    expect((await refresh(authorizationServerUrl, tokens.refresh_token)).status).toBe(400);
    expect((await post(serverUrl, 'tools/list', bearer(String(renewed.access_token)))).status).toBe(200);
    oauth.expireAccessTokens();
    expect((await post(serverUrl, 'tools/list', bearer(String(renewed.access_token)))).status).toBe(401);
    oauth.revokeRefreshTokens();
    const dead = await rpc(refresh(authorizationServerUrl, String(renewed.refresh_token)));
    expect(dead).toEqual({ error: 'invalid_grant' });
    expect([oauth.refreshes, oauth.refusedRefreshes, oauth.unauthorized]).toEqual([1, 2, 2]);
  });

  test('its options', async () => {
    await using oauth = await startRotatingOAuth({
      omitRefreshToken: true,
      requireClientSecret: true,
      issuer: 'https://issuer.example.com',
      scope: 'read write',
    });
    const { tokens, clientInformation } = oauth.issueTokens();
    const metadata = await fetch(`${oauth.authorizationServerUrl}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({ issuer: 'https://issuer.example.com' });
    oauth.delayRefresh(50);
    expect((await refresh(oauth.authorizationServerUrl, tokens.refresh_token)).status).toBe(401);
    const secret = { client_secret: String(clientInformation.clientSecret) };
    for (let round = 0; round < 2; round++) {
      const renewed = await rpc(refresh(oauth.authorizationServerUrl, tokens.refresh_token, secret));
      expect(renewed).not.toHaveProperty('refresh_token');
    }
    oauth.requireScope('admin');
    const access = oauth.issueTokens().tokens.access_token;
    const refused = await post(oauth.url, 'tools/list', bearer(access));
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="admin"');
    expect(oauth.tokenRequests).toHaveLength(3);
  });

  test('tokens expire by themselves', async () => {
    await using oauth = await startRotatingOAuth({ expiresIn: 0 });
    const { tokens } = oauth.issueTokens();
    expect((await post(oauth.url, 'tools/list', bearer(tokens.access_token))).status).toBe(401);
  });
});

describe('hostile', () => {
  let hostile: Hostile;
  beforeAll(async () => {
    hostile = await startHostile();
  });
  afterAll(() => hostile.stop());

  /** Whether nothing, not even a header, comes for a while. */
  async function hangs(path: string, method: string): Promise<boolean> {
    const sent = post(hostile.url(path), method, { signal: AbortSignal.timeout(200) });
    return sent.then(
      () => false,
      (error: Error) => error.name === 'TimeoutError',
    );
  }

  /** Reads until `limit` bytes, then leaves. */
  async function sizeOf(path: string, method: string, limit: number): Promise<number> {
    const response = await post(hostile.url(path), method);
    let size = 0;
    for await (const chunk of response.body ?? []) if ((size += chunk.length) > limit) break;
    return size;
  }

  test('hangs', async () => {
    expect(await hangs('/hang', 'initialize')).toBe(true);
    expect(await hangs('/hang-later', 'initialize')).toBe(false);
    expect(await hangs('/hang-later', 'tools/list')).toBe(true);
    const drip = await post(hostile.url('/drip'), 'initialize');
    const first = await drip.body?.getReader().read();
    expect(first?.value).toHaveLength(1);
  });

  test('too much', async () => {
    const much = 5 * 1024 * 1024;
    expect(await sizeOf('/huge', 'tools/list', much)).toBeLessThan(1000);
    expect(await sizeOf('/huge', 'tools/call', much)).toBeGreaterThan(much);
    expect(await sizeOf('/huge-first', 'initialize', much)).toBeGreaterThan(much);
    expect(await sizeOf('/huge-sse', 'tools/list', much)).toBeGreaterThan(much);
    expect(await sizeOf('/gzip-bomb', 'initialize', much)).toBeGreaterThan(much);
    expect(await sizeOf('/gzip-bomb-later', 'tools/call', much)).toBeGreaterThan(much);
    expect(await sizeOf('/notify-flood', 'tools/call', much)).toBeGreaterThan(much);
    await expect(post(hostile.url('/big-headers'), 'initialize')).rejects.toMatchObject({
      cause: { code: 'UND_ERR_HEADERS_OVERFLOW' },
    });
  });

  test('the bomb is whole JSON of 500 MiB', async () => {
    const response = await new Promise<NodeJS.ReadableStream>((resolve) => {
      get(hostile.url('/gzip-bomb'), resolve);
    });
    let [size, end] = [0, ''];
    for await (const chunk of response.pipe(createGunzip())) {
      size += (chunk as Buffer).length;
      end = (chunk as Buffer).subarray(-5).toString();
    }
    expect(size).toBeGreaterThan(500 * 1024 * 1024);
    expect(end).toBe('"}]}}');
  });

  test('not MCP', async () => {
    const html = await post(hostile.url('/html'), 'initialize');
    expect(html.headers.get('content-type')).toContain('text/html');
    expect(await sizeOf('/html-later', 'tools/call', 1000)).toBeLessThan(1000);
    await expect(rpc(post(hostile.url('/bad-json'), 'initialize'))).rejects.toThrow(SyntaxError);
    await expect(post(hostile.url('/reset'), 'initialize')).rejects.toThrow('fetch failed');
    const limited = await post(hostile.url('/status/429'), 'initialize');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await post(hostile.url('/status/503'), 'initialize')).status).toBe(503);
    expect((await post(hostile.url('/nothing'), 'initialize')).status).toBe(404);
    expect((await fetch(hostile.url('/get-405'))).status).toBe(405);
    await expect(connect(http(hostile.url('/old-version')))).rejects.toThrow('1999-01-01');
  });

  test('challenges', async () => {
    const challengeOf = async (path: string) =>
      (await post(hostile.url(path), 'initialize')).headers.get('www-authenticate');
    expect(await challengeOf('/401-basic')).toMatch(/^Basic/);
    expect(await challengeOf('/401-plain')).toBeNull();
    expect(await challengeOf('/403-scope')).toContain('insufficient_scope", scope="admin"');
    const issuers = ['/401-oauth', '/401-issuer'].map(async (path) => {
      const url = /resource_metadata="([^"]+)"/.exec(String(await challengeOf(path)))?.[1] ?? '';
      const { authorization_servers } = await rpc(fetch(url));
      const [server = ''] = authorization_servers as string[];
      const metadata = `/.well-known/oauth-authorization-server${new URL(server).pathname}`;
      return (await rpc(fetch(hostile.url(metadata)))).issuer === server;
    });
    expect(await Promise.all(issuers)).toEqual([true, false]);
  });

  test('redirects', async () => {
    const locationOf = async (path: string) =>
      (await post(hostile.url(path), 'initialize')).headers.get('location');
    expect(await locationOf('/redirect-loop')).toBe('/redirect-loop');
    expect(await locationOf('/redirect-away')).toBe('http://example.invalid/mcp');
    expect(await locationOf('/redirect-metadata')).toContain('169.254.169.254');
    await using other = await startHostile({ redirectAway: hostile.url('/get-405') });
    const response = await post(other.url('/redirect-away'), 'ping', { redirect: 'follow' });
    expect(response.url).toBe(hostile.url('/get-405'));
  });

  test('a stream without an answer', async () => {
    const response = await post(hostile.url('/cut-stream'), 'tools/call');
    expect(await response.text()).toMatch(/^event: message\ndata: .*notifications\/message.*\n\n$/);
    const client = await connect(http(hostile.url('/cut-stream')));
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('odd but legal', async () => {
    const client = await connect(http(hostile.url('/odd')));
    expect((await client.listTools()).tools).toHaveLength(8);
    const session = String(hostile.seen.findLast(({ path }) => path === '/odd')?.headers['mcp-session-id']);
    const ask = (method: string, params: object = {}) =>
      rpc(post(hostile.url('/odd'), method, { headers: { 'mcp-session-id': session } }, params));
    const call = (name: string) => ask('tools/call', { name });
    expect(await call('unknown_content')).toMatchObject({ result: { content: [{ type: 'hologram' }] } });
    expect(await call('bad_structured')).toMatchObject({ result: { structuredContent: { count: 'many' } } });
    expect(await call('own_duration')).toMatchObject({ result: { durationMs: 7 } });
    expect(await call('fails')).toMatchObject({ result: { isError: true } });
    expect(await call('deep')).toMatchObject({ result: { resultType: 'hologram' } });
    expect(await call('boom')).toMatchObject({ error: { code: -32603, data: { reason: 'asked to' } } });
    expect(await call('x')).toMatchObject({ error: { code: -32602, message: 'Unknown tool: x' } });
    const slow = client.callTool({ name: 'slow' });
    await expect.poll(() => hostile.release()).toBe(1);
    expect(await slow).toMatchObject({ content: [{ text: 'released' }] });
    await expect(client.callTool({ name: 'slow' })).rejects.toThrow('timed out');
    await expect.poll(() => hostile.seen.map(({ rpc }) => rpc)).toContain('notifications/cancelled');
    expect(await ask('resources/read', { uri: 'odd://two' })).toMatchObject({ error: { code: -32002 } });
    expect(await ask('resources/templates/list')).toMatchObject({ error: { code: -32601 } });
    expect(await ask('prompts/list')).toMatchObject({ error: { code: -32601 } });
    expect(hostile.seen.some(({ rpc, params }) => rpc === 'tools/list' && params?.cursor === 'page-2')).toBe(
      true,
    );
    hostile.forgetSessions();
    await expect(client.callTool({ name: 'fails' })).rejects.toThrow('Session not found');
  });

  test('a cursor that leads nowhere', async () => {
    const client = await connect(http(hostile.url('/loop-cursor')));
    expect((await client.listTools({ cursor: 'again' })).nextCursor).toBe('again');
  });
});

test('a self-signed certificate', async () => {
  await using target = await startSelfSigned();
  await expect(fetch(target.url)).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  const status = await new Promise((resolve, reject) => {
    const sent = httpsRequest(target.url, { ca: target.certificate }, ({ statusCode }) =>
      resolve(statusCode),
    );
    sent.on('error', reject).end();
  });
  expect(status).toBe(405);
});
