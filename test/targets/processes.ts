import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { asTarget, type Target } from './listen.ts';

const everything = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);
const filesystem = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
);
const memory = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
const oauthDemo = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js'),
);

const loopback = new URL('./loopback.mjs', import.meta.url).href;

export interface StdioServer {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

export function everythingStdio(): StdioServer {
  return { command: process.execPath, args: [everything, 'stdio'] };
}

export function filesystemStdio(dir: string): StdioServer {
  return { command: process.execPath, args: [filesystem, dir] };
}

export function memoryStdio(file: string): StdioServer {
  return { command: process.execPath, args: [memory], env: { MEMORY_FILE_PATH: file } };
}

export interface Everything extends Target {
  url: string;
  /** Ends the process and starts another on the same port: sessions of the first are unknown to the second. */
  restart(): Promise<void>;
}

export async function startEverything(kind: 'streamableHttp' | 'sse'): Promise<Everything> {
  const port = await freePort();
  const start = () => run(['--import', loopback, everything, kind], { PORT: String(port) }, [port]);
  let running = await start();
  const url = `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`;
  const restart = async (): Promise<void> => {
    await end(running);
    running = await start();
  };
  return asTarget({ url, restart }, () => end(running));
}

interface ObtainedTokens {
  tokens: { access_token: string; token_type: string; expires_in?: number; scope?: string };
  clientInformation: { clientId: string; clientSecret?: string };
  authorizationServerUrl: string;
}

export interface OAuthDemo extends Target {
  url: string;
  authorizationServerUrl: string;
  obtainTokens(): Promise<ObtainedTokens>;
}

/** Reached as localhost, because clients compare the URL with its metadata. Issues no refresh tokens. */
export async function startOAuthDemo(): Promise<OAuthDemo> {
  const [port, authPort] = [await freePort(), await freePort()];
  const env = { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) };
  const child = await run([oauthDemo, '--oauth', '--oauth-strict'], env, [port, authPort]);
  const url = `http://localhost:${port}/mcp`;
  const authorizationServerUrl = `http://localhost:${authPort}/`;
  return asTarget({ url, authorizationServerUrl, obtainTokens: () => authorize(url) }, () => end(child));
}

/** The whole flow as a client with a browser does it; the demo consents by itself. */
async function authorize(url: string): Promise<ObtainedTokens> {
  const challenge = (await fetch(url, { method: 'POST' })).headers.get('www-authenticate') ?? '';
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  const { resource, authorization_servers } = await json<ResourceMetadata>(metadataUrl);
  const server = await json<ServerMetadata>(
    new URL('/.well-known/oauth-authorization-server', authorization_servers[0]).href,
  );
  const redirect_uri = 'http://127.0.0.1:1/callback';
  const { client_id, client_secret } = await json<Registration>(server.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'drydock tests', redirect_uris: [redirect_uri] }),
  });
  const code_verifier = randomBytes(32).toString('base64url');
  const shared = { client_id, redirect_uri, resource };
  const question = new URLSearchParams({
    ...shared,
    response_type: 'code',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'mcp:tools',
    state: 'anything',
  });
  const consent = await fetch(`${server.authorization_endpoint}?${question.toString()}`, {
    redirect: 'manual',
  });
  const code = new URL(consent.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const secret = client_secret === undefined ? {} : { client_secret };
  const tokens = await json<ObtainedTokens['tokens']>(server.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      ...shared,
      ...secret,
      grant_type: 'authorization_code',
      code,
      code_verifier,
    }),
  });
  return {
    tokens,
    clientInformation: {
      clientId: client_id,
      ...(client_secret !== undefined && { clientSecret: client_secret }),
    },
    authorizationServerUrl: server.issuer,
  };
}

interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
}

interface ServerMetadata {
  issuer: string;
  registration_endpoint: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

interface Registration {
  client_id: string;
  client_secret?: string;
}

async function json<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init);
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body}`);
  return JSON.parse(body) as T;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) killGroup(child);
});

/** Resolves when all ports accept connections; rejects with the output if the process ends before. */
async function run(args: string[], env: Record<string, string>, ports: number[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that the servers it starts end with it.
    detached: true,
  });
  running.add(child);
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
  const giveUp = Date.now() + 20_000;
  for (const port of ports) {
    while (!(await accepts(port))) {
      if (!hasEnded(child) && Date.now() < giveUp) await delay(20);
      else {
        await end(child);
        throw new Error(`${args.join(' ')} did not start: ${said}`);
      }
    }
  }
  return child;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  killGroup(child);
  await exited;
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
