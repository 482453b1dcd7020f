import type { Client, RequestOptions, StandardSchemaV1, Transport } from '@modelcontextprotocol/client';
import { hasMoreElements, weightOf } from '../platform/json-bounds.ts';
import { complaintAbout } from './conformance.ts';
import { Deadline, type Wait } from './deadline.ts';
import { causesOf, type FailureFacts, failureIn, McpFailure } from './failures.ts';
import { MarkedTools } from './marked-tools.ts';
import { Redactor } from './redactor.ts';
import { type Exchange, Tap } from './tap.ts';
import { beginningWithoutSecrets, hideSecrets, withoutSecrets } from './target.ts';

/** What a server answers when a header and the body disagree. */
const headerMismatch = -32020;

/** Where the marks of a tool are looked for when a server refuses a call for lack of them. */
const mostPages = 20;
const listTimeout = 10_000;

/** Weighing what is small is not worth it. */
const weighedFrom = 64 * 1024;

const mostErrorText = 1000;
const mostErrorData = 8000;
const mostErrorElements = 2000;

/** The SDK would check the result, which is not the one that came; see `Tap`. */
const anything: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'drydock', validate: (value) => ({ value }) },
};

type CallParams = Parameters<Client['callTool']>[0];
type RpcError = NonNullable<FailureFacts['rpc']>;

export interface Answer {
  /** The result as the server sent it, but for secrets of ours that it repeats. */
  result: Record<string, unknown>;
  durationMs: number;
  /** The JSON-RPC messages that it came of. */
  frames: { sent: unknown; received: unknown };
  /** How much was read for it, roughly. */
  bytes: number;
  /** What is wrong with the result by the protocol, if anything. Found out when it is asked for. */
  complaint: () => Promise<string | undefined>;
}

export interface ServerIdentity {
  protocolVersion: string;
  era: 'legacy' | 'modern';
  transport: 'stdio' | 'streamable-http' | 'sse';
  serverInfo: Record<string, unknown> | null;
  capabilities: Record<string, unknown>;
  instructions: string | null;
}

interface Parts {
  client: Client;
  transport: Transport;
  kind: ServerIdentity['transport'];
  /** What the target was told and must not be quoted with. */
  secrets: () => readonly string[];
  /** Why the stream that carried an answer, or the process, was cut off, if that is known. */
  streamFailure?: () => McpFailure | undefined;
  /** Last lines of what a stdio server wrote to stderr. */
  stderr?: () => string;
  /** Of everything that has come so far. */
  bytesRead: () => number;
  /** Somebody answers the server's requests. */
  participates: boolean;
  /** Told the id of each request that was answered, and of each that nobody waits for any longer. */
  answered: (id: string | number) => void;
  forgotten?: (id: string | number) => void;
}

/** A live connection to a target. */
export class Connection {
  readonly identity: ServerIdentity;
  /** Why it can no longer be used. */
  broken: McpFailure | undefined;
  private readonly parts: Parts;
  private readonly tap: Tap;
  private readonly marked = new MarkedTools();
  private readonly redactor = new Redactor([]);

  constructor(parts: Parts) {
    this.parts = parts;
    this.tap = new Tap(parts.transport, parts);
    this.identity = identify(parts);
    const { client } = parts;
    client.onclose = () =>
      this.break(
        parts.streamFailure?.() ??
          new McpFailure('closed', `${ended(parts)}${this.lastWords()}`, { notSent: true }),
      );
    client.onerror = (error) => {
      // Trouble of a request reaches its caller; what is noted here is that nobody new should come.
      const failure = failureIn(error);
      if (failure && (failure.kind === 'closed' || failure.kind === 'session')) this.broken ??= failure;
    };
  }

  get client(): Client {
    return this.parts.client;
  }

  secrets(): readonly string[] {
    return this.parts.secrets();
  }

  /** What the server says of itself, without what we told it. */
  shownIdentity(): Promise<ServerIdentity> {
    return this.redact(this.identity);
  }

  private redact<T>(value: T): Promise<T> {
    return this.redactor.learn(this.parts.secrets()).hide(value);
  }

  /** Asks once, and answers with what came back over the wire. */
  async request(method: string, params: Record<string, unknown>, wait: Wait): Promise<Answer> {
    if (this.broken) throw this.broken;
    const started = performance.now();
    const readBefore = this.parts.bytesRead();
    const { frame, sent, request, value, error } = await this.exchange(method, params, wait);
    const durationMs = Math.round(performance.now() - started);
    if (frame?.result) {
      if (method === 'tools/list' && this.identity.era === 'modern') this.marked.learn(frame.result['tools']);
      // A participant was asked for input and has given it: the SDK went on, and this is what came of it.
      const answered =
        this.parts.participates && frame.result['resultType'] === 'input_required' && value !== undefined;
      const result = answered ? (value as Record<string, unknown>) : frame.result;
      const complaint = async (): Promise<string | undefined> => {
        const said = await complaintAbout(method, result);
        return said === undefined ? undefined : this.beginning(said);
      };
      const read = this.parts.bytesRead() - readBefore;
      const bytes = bytesOf(result, read);
      const frames = await this.redact({ sent: request, received: frame });
      const shown = answered ? await this.redact(result) : (frames.received.result ?? result);
      return { result: shown, durationMs, frames, bytes, complaint };
    }
    if (frame?.error) throw this.refused(frame.error);
    throw hideSecrets(this.explain(error, sent), this.parts.secrets());
  }

  /** Whether the other side still answers. A stateless server has no session that could be gone. */
  async alive(timeout: number): Promise<boolean> {
    if (this.broken) return false;
    if (this.identity.era === 'modern' && this.identity.transport !== 'stdio') return true;
    const method = this.identity.era === 'modern' ? 'server/discover' : 'ping';
    try {
      await this.request(method, {}, { timeout });
      return true;
    } catch (error) {
      return error instanceof McpFailure && error.kind === 'rpc';
    }
  }

  async close(): Promise<void> {
    this.broken ??= new McpFailure('closed', 'The connection was closed', { notSent: true });
    const { transport } = this.parts;
    if ('terminateSession' in transport) {
      const end = (transport as { terminateSession(): Promise<void> }).terminateSession();
      await Promise.race([end.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
    }
    await this.parts.client.close().catch(() => {});
  }

  private async exchange(
    method: string,
    params: Record<string, unknown>,
    wait: Wait,
  ): Promise<Pick<Exchange, 'frame' | 'sent' | 'request'> & { value?: unknown; error?: unknown }> {
    const deadline = new Deadline(wait);
    const over = new AbortController();
    const exchange: Exchange = { method, sent: false, lost: deadline.giveUp, over };
    // The SDK has a deadline of its own; ours comes first.
    const options = { signal: deadline.signal, timeout: wait.timeout + 60_000, ...this.tap.label(exchange) };
    try {
      const value = await this.ask(method, params, options);
      return { ...exchange, value };
    } catch (error) {
      return { ...exchange, error: deadline.reason ?? error };
    } finally {
      deadline.end();
      this.tap.forget(exchange);
      if (exchange.id !== undefined) this.parts.forgotten?.(exchange.id);
    }
  }

  private async ask(
    method: string,
    params: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<unknown> {
    if (method !== 'tools/call') return this.send(method, params, options);
    const call = params as CallParams;
    try {
      return await this.call(call, options);
    } catch (error) {
      if ((error as { code?: unknown }).code !== headerMismatch || this.identity.era !== 'modern')
        throw error;
      // The tool has changed since it was listed, or was never listed here.
      await this.learnMarks(call.name, options);
      return this.call(call, options);
    }
  }

  /** The SDK copies marked parameters into headers, if it is told which tools have some. */
  private call(params: CallParams, options: RequestOptions): Promise<unknown> {
    const { client, participates } = this.parts;
    const modern = this.identity.era === 'modern';
    if (modern && (participates || this.marked.has(params.name)))
      return client.callTool(params, { ...options, toolDefinition: this.marked.definitionOf(params.name) });
    return participates ? client.callTool(params, options) : this.send('tools/call', params, options);
  }

  private send(method: string, params: Record<string, unknown>, options: RequestOptions): Promise<unknown> {
    // The methods we send are known to the SDK; the type of each result is not ours to rely on.
    const request = { method, params } as Parameters<Client['request']>[0];
    if (this.parts.participates) return this.client.request(request, options as never);
    return this.client.request(request, anything, options);
  }

  /** Looks for a tool in the list, a few pages long. The SDK would read all of it, and check each element. */
  private async learnMarks(name: string, { signal }: RequestOptions): Promise<void> {
    this.marked.forget(name);
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const { result } = await this.request('tools/list', params, { timeout: listTimeout, signal });
      const next = result['nextCursor'];
      if (this.marked.has(name) || typeof next !== 'string') return;
      cursor = next;
    }
  }

  private explain(error: unknown, sent: boolean): McpFailure {
    const known = failureIn(error);
    if (known?.facts.rpc) return this.refused(known.facts.rpc);
    if (known) return known;
    // What broke the connection also took this request, which may have arrived.
    const { broken } = this;
    if (broken) return new McpFailure(broken.kind, broken.message, { ...broken.facts, notSent: !sent });
    return explain(error, this.parts.secrets());
  }

  /** An error of the server as it may be shown: bounded, and without what we told the server. */
  private refused({ code, message: said, data }: RpcError): McpFailure {
    // An error page is not bounded in depth, and what is too deep cannot be written.
    const text = hasMoreElements(data, mostErrorElements) ? undefined : (JSON.stringify(data) ?? '');
    const showable = text !== undefined && text.length <= mostErrorData && this.scrub(text) === text;
    const message = this.beginning(said);
    return new McpFailure('rpc', message, {
      rpc: { code, message, ...(data !== undefined && showable && { data }) },
    });
  }

  private beginning(text: string): string {
    return beginningWithoutSecrets(text, this.parts.secrets(), mostErrorText);
  }

  private scrub(text: string): string {
    return withoutSecrets(text, this.parts.secrets());
  }

  private lastWords(): string {
    const text = this.parts.stderr?.().trim();
    return text ? `. It wrote: ${this.scrub(text)}` : '';
  }

  private break(failure: McpFailure): void {
    this.broken ??= failure;
    this.tap.fail(new McpFailure(failure.kind, failure.message, { ...failure.facts, notSent: false }));
  }
}

/** Of what was read meanwhile, some may be for others on the same connection; what the result weighs is its own. */
function bytesOf(result: Record<string, unknown>, read: number): number {
  return read < weighedFrom ? read : Math.min(read, weightOf(result));
}

function ended({ kind }: Parts): string {
  return kind === 'stdio' ? 'The command has ended' : 'The connection was closed';
}

function identify({ client, kind }: Parts): ServerIdentity {
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    era: client.getProtocolEra() ?? 'legacy',
    transport: kind,
    serverInfo: (client.getServerVersion() as Record<string, unknown> | undefined) ?? null,
    capabilities: (client.getServerCapabilities() as Record<string, unknown> | undefined) ?? {},
    instructions: client.getInstructions() ?? null,
  };
}

/** An error of the SDK that carries no failure of ours: what the server sent could not be understood. */
export function explain(error: unknown, secrets: readonly string[]): McpFailure {
  const messages = [...causesOf(error)].map(({ message }) => message);
  const text = beginningWithoutSecrets(messages.at(-1) ?? String(error), secrets, 500);
  for (const cause of causesOf(error))
    if (cause instanceof SyntaxError || cause.name === 'ZodError')
      // What is quoted of it may be a piece of a secret.
      return new McpFailure(
        'not-mcp',
        `The server sent an answer that is not MCP: ${text.replace(/,? (\.{3})?"[^]*"(\.{3})?/, '')}`,
      );
  return new McpFailure('unknown', text);
}
