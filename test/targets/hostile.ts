import type { IncomingHttpHeaders } from 'node:http';
import {
  sendBigHeaders,
  sendCutStream,
  sendDrip,
  sendEndlessEvent,
  sendGzipBomb,
  sendHuge,
  sendNotificationFlood,
} from './hostile-bodies.ts';
import { answerLegacy, type Exchange, initializeResult, sendResult } from './legacy.ts';
import { asTarget, listen, type Rpc, readRpc, sendJson, type Target } from './listen.ts';
import { OddServer } from './odd.ts';

type Misbehaviour = (exchange: Exchange) => void | Promise<void>;

interface Seen {
  path: string;
  /** The HTTP method. */
  method: string;
  headers: IncomingHttpHeaders;
  /** The JSON-RPC method. */
  rpc: string | undefined;
  id: Rpc['id'];
  params: Rpc['params'];
}

export interface Hostile extends Target {
  url(path: string): string;
  seen: Seen[];
  /** Answers the waiting calls of the tool `slow` at /odd, and returns their number. */
  release(): number;
  /** Makes /odd answer 404 to its sessions from now on, as after a restart. */
  forgetSessions(): void;
}

/** Each path misbehaves in one way. `redirectAway` is the target of /redirect-away. */
export async function startHostile(options: { redirectAway?: string } = {}): Promise<Hostile> {
  const seen: Seen[] = [];
  const odd = new OddServer();
  const routes: Record<string, Misbehaviour> = {
    ...fromTheStart,
    ...Object.fromEntries(Object.entries(onToolCall).map(([path, act]) => [path, when('tools/call', act)])),
    ...Object.fromEntries(Object.entries(afterInitialize).map(([path, act]) => [path, when('any', act)])),
    '/redirect-away': redirect(options.redirectAway ?? 'http://example.invalid/mcp'),
    '/odd': (exchange) => odd.answer(exchange),
    '/loop-cursor': (exchange) => odd.answer(exchange, { loopCursor: true }),
  };
  const { port, stop } = await listen(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const { rpc } = await readRpc(request);
    const { method = '', headers } = request;
    seen.push({ path, method, headers, rpc: rpc?.method, id: rpc?.id, params: rpc?.params });
    const exchange = { request, response, rpc, path, origin: `http://127.0.0.1:${port}` };
    await (routes[path] ?? answerByPattern)(exchange);
  });
  return asTarget(
    {
      url: (path: string) => `http://127.0.0.1:${port}${path}`,
      seen,
      release: () => odd.release(),
      forgetSessions: () => odd.forgetSessions(),
    },
    stop,
  );
}

const hang: Misbehaviour = () => new Promise(() => {});

/** Misbehaves for requests only: notifications, `initialize` and `server/discover` work. */
function when(method: 'tools/call' | 'any', act: Misbehaviour): Misbehaviour {
  return (exchange) => {
    const { rpc } = exchange;
    const handshake = rpc?.method === 'initialize' || rpc?.method === 'server/discover';
    const misbehaves = rpc?.id !== undefined && !handshake && (method === 'any' || rpc.method === method);
    return misbehaves ? act(exchange) : answerLegacy(exchange);
  };
}

const afterInitialize: Record<string, Misbehaviour> = {
  '/hang-later': hang,
  '/huge-sse': sendEndlessEvent,
};

const onToolCall: Record<string, Misbehaviour> = {
  '/huge': sendHuge,
  '/gzip-bomb-later': sendGzipBomb,
  '/cut-stream': sendCutStream,
  '/notify-flood': sendNotificationFlood,
  '/html-later': (exchange) => sendLogin(exchange),
};

const fromTheStart: Record<string, Misbehaviour> = {
  '/get-405': answerLegacy,
  '/hang': hang,
  '/huge-first': sendHuge,
  '/gzip-bomb': sendGzipBomb,
  '/drip': sendDrip,
  '/html': (exchange) => sendLogin(exchange),
  '/bad-json': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":'),
  '/401-basic': challenge(401, () => 'Basic realm="hostile"'),
  '/401-plain': challenge(401, () => undefined),
  '/401-oauth': challenge(401, (metadata) => `Bearer ${metadata}, scope="read write"`),
  '/401-issuer': challenge(401, (metadata) => `Bearer ${metadata}, scope="read write"`),
  '/403-scope': challenge(403, (metadata) => `Bearer error="insufficient_scope", scope="admin", ${metadata}`),
  '/.well-known/oauth-protected-resource/401-oauth': resourceMetadata('/401-oauth', '/as'),
  '/.well-known/oauth-protected-resource/403-scope': resourceMetadata('/403-scope', '/as'),
  '/.well-known/oauth-protected-resource/401-issuer': resourceMetadata('/401-issuer', '/as-elsewhere'),
  '/.well-known/oauth-authorization-server/as': authorizationMetadata((origin) => `${origin}/as`),
  '/.well-known/oauth-authorization-server/as-elsewhere': authorizationMetadata(
    () => 'https://issuer.example.com',
  ),
  '/redirect-loop': redirect('/redirect-loop'),
  '/redirect-metadata': redirect('http://169.254.169.254/latest'),
  '/reset': ({ request }) => void request.socket.resetAndDestroy(),
  '/old-version': (exchange) =>
    exchange.rpc?.method === 'initialize'
      ? sendResult(exchange, initializeResult('1999-01-01'))
      : answerLegacy(exchange),
  '/big-headers': sendBigHeaders,
};

function answerByPattern({ response, path }: Exchange): void {
  const status = Number(/^\/status\/([2-5]\d\d)$/.exec(path)?.[1] ?? 404);
  response.writeHead(status, {
    'content-type': 'text/plain',
    ...(status === 429 && { 'retry-after': '7' }),
  });
  response.end(`This is status ${status}.`);
}

function sendLogin({ response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end('<!doctype html><title>Sign in</title><form><input name="password"></form>');
}

function redirect(location: string): Misbehaviour {
  return ({ response }) => void response.writeHead(307, { location }).end();
}

function challenge(status: number, header: (metadata: string) => string | undefined): Misbehaviour {
  return ({ response, path, origin }) => {
    const value = header(`resource_metadata="${origin}/.well-known/oauth-protected-resource${path}"`);
    sendJson(
      response,
      { error: 'refused' },
      status,
      value === undefined ? {} : { 'www-authenticate': value },
    );
  };
}

function resourceMetadata(resource: string, authorizationServer: string): Misbehaviour {
  return ({ response, origin }) =>
    sendJson(response, {
      resource: `${origin}${resource}`,
      authorization_servers: [`${origin}${authorizationServer}`],
      scopes_supported: ['read', 'write'],
    });
}

function authorizationMetadata(issuer: (origin: string) => string): Misbehaviour {
  return ({ response, origin }) =>
    sendJson(response, {
      issuer: issuer(origin),
      authorization_endpoint: `${origin}/as/authorize`,
      token_endpoint: `${origin}/as/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
}
