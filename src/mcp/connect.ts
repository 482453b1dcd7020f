import type { Client, OAuthClientProvider, PriorDiscovery, Transport } from '@modelcontextprotocol/client';
import type { Confinement } from '../platform/confinement/confinement.ts';
import type { Pacer } from '../platform/flow/pacer.ts';
import { Connection, explain } from './connection.ts';
import { deadlineOf, type Wait } from './deadline.ts';
import { causesOf, failureIn, McpFailure } from './failures.ts';
import { HttpChannel, unsupportedVersion, versionFailure } from './http-channel.ts';
import type { Outbound } from './outbound.ts';
import type { DetectedProtocol } from './protocol-cache.ts';
import { StdioTransport } from './stdio-transport.ts';
import {
  type Address,
  type HttpTarget,
  hideSecrets,
  type ProtocolSettings,
  type StdioTarget,
  secretsOf,
  type Target,
  withoutSecrets,
} from './target.ts';

export interface ConnectOptions extends Wait {
  outbound: Outbound;
  pace: Pacer;
  /** Runs the commands of stdio servers. */
  confinement: Confinement;
  /** The client info for `initialize`, unless the target has its own. */
  clientInfo: { name: string; version: string };
  /** The known era of the server. If set, the server is not probed. */
  detected?: DetectedProtocol | undefined;
  /** Takes part in the protocol: answers requests of the server, or authorizes interactively. */
  participant?: Participant;
}

export interface Participant {
  attach?(client: Client): void;
  authProvider?: OAuthClientProvider;
}

export interface Connected {
  connection: Connection;
  detected: DetectedProtocol;
}

/** Maximum characters of stderr in an error message. */
const stderrKept = 2000;

/** Loads the SDK with the first connection, because this takes longer than the rest of the startup. */
const sdk = () => import('@modelcontextprotocol/client');

export async function connect(target: Target, options: ConnectOptions): Promise<Connected> {
  const address = await target.address();
  if (address.kind === 'stdio') return connectStdio(target, address, options);
  const { detected } = options;
  if (detected?.transport === 'sse') return connectSse(target, address, options);
  try {
    return await connectStreamable(target, address, options);
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    if (!mayBeOlder(error, target.protocol)) throw error;
    return connectSse(target, address, options).catch((second: unknown) => {
      // The answer over the old transport matters only if it got further than the new one.
      throw second instanceof McpFailure && second.kind === 'unauthorized' ? second : error;
    });
  }
}

/** Whether a server may use the first HTTP transport, whose servers answer a POST with a status like 404 or 405. */
function mayBeOlder(failure: McpFailure, protocol: ProtocolSettings): boolean {
  const { status } = failure.facts;
  return (
    failure.kind === 'status' && status !== undefined && status < 500 && protocol.protocolVersion !== newest
  );
}

const newest = '2026-07-28';

async function connectStreamable(
  target: Target,
  address: HttpTarget,
  options: ConnectOptions,
): Promise<Connected> {
  const { participant, pace } = options;
  const { StreamableHTTPClientTransport } = await sdk();
  const line = new HttpChannel(options.outbound.through(address.way), address, {
    pace,
    leavesChallenges: participant?.authProvider !== undefined,
    ignoresStreams: participant === undefined,
  });
  const transport = new StreamableHTTPClientTransport(new URL(address.url), {
    fetch: line.fetch,
    onInsufficientScope: participant?.authProvider ? 'reauthorize' : 'throw',
    ...(participant?.authProvider && { authProvider: participant.authProvider }),
  });
  const client = await handshake(target, address, transport, options, line);
  line.establish();
  const connection = new Connection({
    client,
    transport,
    kind: 'streamable-http',
    streamFailure: () => line.streamFailure,
    secrets: () => line.secrets(),
    bytesRead: () => line.bytesRead,
    participates: participant !== undefined,
    answered: (id) => line.answered(id),
    forgotten: (id) => line.forget(id),
  });
  return { connection, detected: detectedProtocol(client, 'streamable-http') };
}

async function connectSse(target: Target, address: HttpTarget, options: ConnectOptions): Promise<Connected> {
  const { participant, pace } = options;
  const { SSEClientTransport } = await sdk();
  const line = new HttpChannel(options.outbound.through(address.way), address, {
    pace,
    leavesChallenges: participant?.authProvider !== undefined,
  });
  let streamEnded = (): void => {};
  const transport = new SSEClientTransport(new URL(address.url), {
    fetch: async (url, init) => {
      const response = await line.fetch(url, init);
      // The event source would reconnect with a new session, which does not know our requests.
      return (init?.method ?? 'GET') === 'GET' ? watched(response, () => streamEnded()) : response;
    },
    ...(participant?.authProvider && { authProvider: participant.authProvider }),
  });
  const legacy = { ...options, detected: { era: 'legacy', transport: 'sse' } as const };
  const client = await handshake(target, address, transport, legacy, line);
  line.established = true;
  streamEnded = () => void client.close().catch(() => {});
  const connection = new Connection({
    client,
    transport,
    kind: 'sse',
    streamFailure: () => line.streamFailure,
    secrets: () => line.secrets(),
    bytesRead: () => line.bytesRead,
    participates: participant !== undefined,
    answered: () => pace.refund(),
  });
  return { connection, detected: { era: 'legacy', transport: 'sse' } };
}

/** Copies a response with a stream that reports its end. */
function watched(response: Response, ended: () => void): Response {
  if (!response.body) return response;
  const copied = new TransformStream<Uint8Array, Uint8Array>({ flush: ended });
  // An aborted stream has ended too.
  response.body.pipeTo(copied.writable).catch(ended);
  const copy = new Response(copied.readable, { status: response.status, headers: response.headers });
  // The event source compares the URL of the response with the requested one.
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}

async function connectStdio(
  target: Target,
  address: StdioTarget,
  options: ConnectOptions,
): Promise<Connected> {
  const { detected, timeout } = options;
  const started = performance.now();
  try {
    return await connectCommand(target, address, options);
  } catch (error) {
    // Some old servers exit when they receive a request before the handshake, so the probe is skipped.
    const asked = detected === undefined && !isModern(target.protocol);
    if (!asked || !(error instanceof McpFailure) || error.kind !== 'closed') throw error;
    const left = Math.max(1, timeout - (performance.now() - started));
    const legacy = { era: 'legacy', transport: 'stdio' } as const;
    return connectCommand(target, address, { ...options, timeout: left, detected: legacy });
  }
}

async function connectCommand(
  target: Target,
  address: StdioTarget,
  options: ConnectOptions,
): Promise<Connected> {
  const { pace, confinement, participant } = options;
  const transport = new StdioTransport(address, { pace, confinement });
  const secrets = secretsOf(address);
  const longest = secrets[0]?.length ?? 0;
  const shown = (): string => {
    const text = withoutSecrets(transport.stderr.slice(-(stderrKept + longest)), secrets);
    const cut = transport.stderrCut || transport.stderr.length > stderrKept + longest;
    // Cutting may have split a secret, so drops as many characters as the longest secret has.
    return text
      .slice(cut ? longest : 0)
      .slice(-stderrKept)
      .trim();
  };
  const stderrNote = (): string => (shown() === '' ? '' : `. stderr: ${shown()}`);
  const client = await handshake(target, address, transport, options).catch(async (error: unknown) => {
    // The slot is freed when the process is gone.
    await transport.close();
    if (transport.failure) throw transport.failure;
    if (error instanceof McpFailure && error.kind === 'closed')
      throw new McpFailure(
        'closed',
        `The command exited before the MCP handshake${stderrNote()}`,
        error.facts,
      );
    if (error instanceof McpFailure && error.kind === 'timeout')
      throw new McpFailure('timeout', `${error.message}${stderrNote()}`, error.facts);
    throw error;
  });
  transport.established();
  const connection = new Connection({
    client,
    transport,
    kind: 'stdio',
    streamFailure: () => transport.failure,
    secrets: () => secrets,
    bytesRead: () => transport.bytesRead,
    stderr: shown,
    participates: participant !== undefined,
    answered: () => pace.refund(),
  });
  return { connection, detected: detectedProtocol(client, 'stdio') };
}

function isModern({ protocolVersion, supportedVersions }: ProtocolSettings): boolean {
  const versions = protocolVersion === undefined ? supportedVersions : [protocolVersion];
  return versions?.every((version) => version === newest) ?? false;
}

async function handshake(
  target: Target,
  address: Address,
  transport: Transport,
  options: ConnectOptions,
  line?: HttpChannel,
): Promise<Client> {
  const client = await createClient(target, options, transport instanceof StdioTransport);
  options.participant?.attach?.(client);
  const deadline = deadlineOf(options);
  try {
    const connecting = client.connect(transport, {
      signal: deadline.signal,
      timeout: options.timeout + 60_000,
      ...(options.detected && { prior: priorOf(options.detected) }),
    });
    await deadline.race(connecting);
    return client;
  } catch (error) {
    // Not awaited: a command gets time to exit.
    void client.close().catch(() => {});
    void transport.close().catch(() => {});
    const secrets = line?.secrets() ?? secretsOf(address);
    const known = deadline.reason ?? failureIn(error) ?? startFailure(error, address, target.protocol);
    throw hideSecrets(known ?? line?.complaint() ?? explain(error, secrets), secrets);
  } finally {
    deadline.end();
  }
}

function priorOf(detected: DetectedProtocol): PriorDiscovery {
  return detected.era === 'modern' ? { kind: 'modern', discover: detected.discover } : { kind: 'legacy' };
}

function detectedProtocol(client: Client, transport: 'stdio' | 'streamable-http'): DetectedProtocol {
  const discover = client.getDiscoverResult();
  return client.getProtocolEra() === 'modern' && discover
    ? { era: 'modern', transport, discover }
    : { era: 'legacy', transport };
}

async function createClient(target: Target, options: ConnectOptions, stdio: boolean): Promise<Client> {
  const { Client } = await sdk();
  const { protocol } = target;
  const versions =
    protocol.protocolVersion === undefined ? protocol.supportedVersions : [protocol.protocolVersion];
  const { clientInfo } = options;
  return new Client(
    { ...clientInfo, ...protocol.clientInfo },
    {
      capabilities: protocol.clientCapabilities ?? {},
      versionNegotiation: {
        mode: protocol.protocolVersion === newest ? { pin: newest } : isLegacy(versions) ? 'legacy' : 'auto',
        // A silent pipe may be an old server that ignores unknown requests.
        ...(stdio && { probe: { timeoutMs: Math.round(options.timeout * 0.4) } }),
      },
      ...(versions && { supportedProtocolVersions: versions }),
      // Callers see that input is required; only a participant can provide it.
      inputRequired: { autoFulfill: options.participant !== undefined },
    },
  );
}

function isLegacy(versions: readonly string[] | undefined): boolean {
  return versions !== undefined && !versions.includes(newest);
}

/** The failure of a command that cannot be run or exits at once, or of a server without a common protocol revision. */
function startFailure(
  error: unknown,
  address: Address,
  { protocolVersion: pinned }: ProtocolSettings,
): McpFailure | undefined {
  for (const cause of causesOf(error)) {
    if (address.kind === 'stdio') {
      if (cause.code === 'ENOENT' || cause.code === 'EACCES' || cause.code === 'ENOTDIR') {
        const why = cause.code === 'EACCES' ? 'may not be run' : 'was not found';
        return new McpFailure(
          'command',
          `Could not start the MCP server: the command ${address.command} ${why}`,
          {
            code: cause.code,
            notSent: true,
          },
        );
      }
      if (/connection closed|closed during/i.test(cause.message))
        return new McpFailure('closed', cause.message);
    }
    const version = /protocol version is not supported: (.*)$/.exec(cause.message)?.[1]?.slice(0, 100);
    if (version !== undefined)
      return new McpFailure(
        'version',
        pinned === undefined
          ? `The server requires protocol revision ${version}, which is not supported`
          : `The server was asked for protocol revision ${pinned} and chose ${version}`,
      );
    if (cause.code === unsupportedVersion) return versionFailure(pinned, (cause as { data?: unknown }).data);
    if (/did not offer pinned protocol version|no mutual/i.test(cause.message))
      return versionFailure(pinned, undefined);
  }
  return undefined;
}
