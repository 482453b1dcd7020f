/** What went wrong between us and a target, named by what was seen: status, cause and frame, not by library codes. */
export type FailureKind =
  /** The address guard refused it; nothing was sent. */
  | 'address'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  /** Any other trouble of the network. */
  | 'network'
  /** The connection, stream or process ended before the answer. */
  | 'closed'
  /** The command of a stdio server could not be started. */
  | 'command'
  /** An HTTP status that is not an answer; `status` says which. */
  | 'status'
  /** The server no longer knows our session; the request was not carried out. */
  | 'session'
  | 'rate-limited'
  | 'redirect'
  /** Something answered, and it does not speak MCP. */
  | 'not-mcp'
  | 'too-large'
  /** We have too much in hand ourselves. */
  | 'busy'
  | 'timeout'
  /** Whoever asked has hung up. */
  | 'cancelled'
  | 'unauthorized'
  | 'scope'
  | 'forbidden'
  /** No protocol revision that both sides accept. */
  | 'version'
  /** The server answered with a JSON-RPC error. */
  | 'rpc'
  | 'unknown';

/** What a `WWW-Authenticate` header asked for. */
export interface Challenge {
  scheme: string;
  resourceMetadataUrl?: string;
  scopes?: string[];
  error?: string;
}

export interface FailureFacts {
  status?: number;
  /** The operating system's or TLS library's name of the trouble, like ECONNREFUSED. */
  code?: string;
  challenge?: Challenge;
  /** The grant was refused by its authorization server and will not work again. */
  grantDead?: boolean;
  /** Other tokens have taken the place of those in use. */
  grantGone?: boolean;
  retryAfter?: number;
  /** Milliseconds that were allowed. */
  waited?: number;
  location?: string;
  rpc?: { code: number; message: string; data?: unknown };
  /** Nothing reached the target, so asking once more cannot do anything twice. */
  notSent?: boolean;
}

/** The one error this module throws. */
export class McpFailure extends Error {
  readonly kind: FailureKind;
  readonly facts: FailureFacts;

  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    super(message);
    this.name = 'McpFailure';
    this.kind = kind;
    this.facts = facts;
  }
}

/** Errors come wrapped in errors, under `cause` and, in the SDK, under `data.cause`. */
export function* causesOf(error: unknown): Generator<Error & { code?: unknown }> {
  const seen = new Set<unknown>();
  let next: unknown = error;
  while (next instanceof Error && !seen.has(next)) {
    seen.add(next);
    yield next;
    const { cause, data } = next as { cause?: unknown; data?: { cause?: unknown } };
    next = cause ?? data?.cause;
  }
}

export function failureIn(error: unknown): McpFailure | undefined {
  for (const cause of causesOf(error)) if (cause instanceof McpFailure) return cause;
  return undefined;
}

export const unreachable = 'Could not reach the MCP server';

/** Trouble of DNS, TCP or TLS as a failure; undefined when the error is none. */
export function networkFailure(error: unknown, host: string): McpFailure | undefined {
  for (const cause of causesOf(error)) {
    const code = typeof cause.code === 'string' ? cause.code : '';
    if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
      return new McpFailure('dns', `${unreachable}: the name ${host} does not resolve (${code})`, {
        code,
        notSent: true,
      });
    if (code === 'ECONNREFUSED')
      return new McpFailure('refused', `${unreachable}: nothing listens at ${host} (${code})`, {
        code,
        notSent: true,
      });
    if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code))
      return new McpFailure('reset', `${unreachable}: ${host} closed the connection (${code})`, { code });
    if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
      return new McpFailure('timeout', `${host} did not accept a connection in time (${code})`, {
        code,
        notSent: true,
      });
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return new McpFailure('too-large', `${host} answered with more headers than are accepted`, { code });
    if (/^HPE_|^UND_ERR_(RESPONSE|INVALID|HTTP)/.test(code))
      return new McpFailure('not-mcp', `What listens at ${host} does not speak HTTP (${code})`, { code });
    if (certificateCodes.test(code))
      return new McpFailure('tls', `${unreachable}: the TLS connection to ${host} failed (${code})`, {
        code,
        notSent: true,
      });
    if (/^E[A-Z]+$/.test(code))
      return new McpFailure('network', `${unreachable}: ${host} (${code})`, { code, notSent: true });
  }
  return undefined;
}

const certificateCodes =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO|UNSPECIFIED$)/;
