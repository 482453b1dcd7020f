import type { Client, RequestOptions, StandardSchemaV1, Transport } from '@modelcontextprotocol/client';
import { hasMoreElements, weightOf } from '../platform/json/bounds.ts';
import { schemaViolation } from './conformance.ts';
import { deadlineOf, type Wait } from './deadline.ts';
import { causesOf, type FailureFacts, failureIn, McpFailure } from './failures.ts';
import { MarkedTools } from './marked-tools.ts';
import { Redactor } from './redactor.ts';
import { type Exchange, Tap } from './tap.ts';
import { beginningWithoutSecrets, hideSecrets, withoutSecrets } from './target.ts';

/** JSON-RPC error code for a header that does not match the body. */
const headerMismatch = -32020;

/**
 * Pages of the tool list that are searched for a tool's header parameters after a server refused a call without them.
 */
const maxPages = 20;
/** Milliseconds to read one page of the tool list. */
const listTimeout = 10_000;

/** Bytes read from which an answer is measured itself, see `bytesOf`. */
const weighedFrom = 64 * 1024;

const maxErrorText = 1000;
const maxErrorData = 8000;
const maxErrorElements = 2000;

/** Accepts any result: the SDK only sees a placeholder for the actual one, see `Tap`. */
const anything: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'drydock', validate: (value) => ({ value }) },
};

type CallParams = Parameters<Client['callTool']>[0];
type RpcError = NonNullable<FailureFacts['rpc']>;

export interface Answer {
  /** The result as the server sent it, with secrets that we sent redacted. */
  result: Record<string, unknown>;
  durationMs: number;
  frames: { sent: unknown; received: unknown };
  /** Approximate number of bytes read. */
  bytes: number;
  /** Why the result violates the protocol, or undefined. Checked on demand. */
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
  /** Values sent to the target that must not be quoted. */
  secrets: () => readonly string[];
  /** Why the stream of an answer or the process ended, if known. */
  streamFailure?: () => McpFailure | undefined;
  /** The last lines that a stdio server wrote to stderr. */
  stderr?: () => string;
  /** Total bytes received. */
  bytesRead: () => number;
  /** Whether a participant answers the server's requests. */
  participates: boolean;
  /** Called with the ID of each answered request. */
  answered: (id: string | number) => void;
  /** Called with the ID of each abandoned request. */
  forgotten?: (id: string | number) => void;
}

/** An open connection to a target. */
export class Connection {
  readonly identity: ServerIdentity;
  /** Why the connection can no longer be used. */
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
          new McpFailure('closed', `${ended(parts)}${this.stderrNote()}`, { notSent: true }),
      );
    client.onerror = (error) => {
      // A failed request reaches its caller; here the connection is marked as unusable for later ones.
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

  /** The server's identity without secrets that we sent to it. */
  shownIdentity(): Promise<ServerIdentity> {
    return this.redact(this.identity);
  }

  private redact<T>(value: T): Promise<T> {
    return this.redactor.learn(this.parts.secrets()).hide(value);
  }

  /** Sends a request and returns the answer as it came over the wire. */
  async request(method: string, params: Record<string, unknown>, wait: Wait): Promise<Answer> {
    if (this.broken) throw this.broken;
    const started = performance.now();
    const readBefore = this.parts.bytesRead();
    const { frame, sent, request, value, error } = await this.exchange(method, params, wait);
    const durationMs = Math.round(performance.now() - started);
    if (frame?.result) {
      if (method === 'tools/list' && this.identity.era === 'modern') this.marked.learn(frame.result['tools']);
      // The participant has provided the requested input, and the SDK has continued to this result.
      const answered =
        this.parts.participates && frame.result['resultType'] === 'input_required' && value !== undefined;
      const result = answered ? (value as Record<string, unknown>) : frame.result;
      const complaint = async (): Promise<string | undefined> => {
        const problem = await schemaViolation(method, result);
        return problem === undefined ? undefined : this.beginning(problem);
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

  /** Whether the server still responds. A stateless server has no session to lose. */
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
    const deadline = deadlineOf(wait);
    const over = new AbortController();
    const exchange: Exchange = { method, sent: false, lost: deadline.giveUp, over };
    // Longer than ours, so that our own deadline comes first.
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
      // The tool has changed since it was listed, or was never listed on this connection.
      await this.learnMarks(call.name, options);
      return this.call(call, options);
    }
  }

  /** Calls a tool. The SDK copies marked parameters into headers if it knows the tool's definition. */
  private call(params: CallParams, options: RequestOptions): Promise<unknown> {
    const { client, participates } = this.parts;
    const modern = this.identity.era === 'modern';
    if (modern && (participates || this.marked.has(params.name)))
      return client.callTool(params, { ...options, toolDefinition: this.marked.definitionOf(params.name) });
    return participates ? client.callTool(params, options) : this.send('tools/call', params, options);
  }

  private send(method: string, params: Record<string, unknown>, options: RequestOptions): Promise<unknown> {
    // All methods that we send are in the SDK's types.
    const request = { method, params } as Parameters<Client['request']>[0];
    if (this.parts.participates) return this.client.request(request, options as never);
    return this.client.request(request, anything, options);
  }

  /** Searches a few pages of the tool list for a tool. The SDK would read and validate the whole list. */
  private async learnMarks(name: string, { signal }: RequestOptions): Promise<void> {
    this.marked.forget(name);
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
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
    // The broken connection also ended this request, which may have arrived.
    const { broken } = this;
    if (broken) return new McpFailure(broken.kind, broken.message, { ...broken.facts, notSent: !sent });
    return explain(error, this.parts.secrets());
  }

  /** Redacts and limits an error of the server. */
  private refused({ code, message: original, data }: RpcError): McpFailure {
    // Error data may be nested too deeply to be serialized.
    const text = hasMoreElements(data, maxErrorElements) ? undefined : (JSON.stringify(data) ?? '');
    const showable = text !== undefined && text.length <= maxErrorData && this.scrub(text) === text;
    const message = this.beginning(original);
    return new McpFailure('rpc', message, {
      rpc: { code, message, ...(data !== undefined && showable && { data }) },
    });
  }

  private beginning(text: string): string {
    return beginningWithoutSecrets(text, this.parts.secrets(), maxErrorText);
  }

  private scrub(text: string): string {
    return withoutSecrets(text, this.parts.secrets());
  }

  private stderrNote(): string {
    const text = this.parts.stderr?.().trim();
    return text ? `. stderr: ${this.scrub(text)}` : '';
  }

  private break(failure: McpFailure): void {
    this.broken ??= failure;
    this.tap.fail(new McpFailure(failure.kind, failure.message, { ...failure.facts, notSent: false }));
  }
}

/** Some of the bytes read may belong to other requests on the connection, so a large result is measured itself. */
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

/** Converts an SDK error without a failure of ours: the server's message could not be understood. */
export function explain(error: unknown, secrets: readonly string[]): McpFailure {
  const messages = [...causesOf(error)].map(({ message }) => message);
  const text = beginningWithoutSecrets(messages.at(-1) ?? String(error), secrets, 500);
  for (const cause of causesOf(error))
    if (cause instanceof SyntaxError || cause.name === 'ZodError')
      // The quoted part may contain part of a secret.
      return new McpFailure(
        'not-mcp',
        `The server sent an answer that is not MCP: ${text.replace(/,? (\.{3})?"[^]*"(\.{3})?/, '')}`,
      );
  return new McpFailure('unknown', text);
}
