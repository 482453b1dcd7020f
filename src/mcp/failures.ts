/** Kinds of failures with a target, by observed status, cause and message, not by library error codes. */
export type FailureKind =
  /** Refused by the address guard; nothing was sent. */
  | 'address'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'network'
  /** The connection, stream or process ended before the answer. */
  | 'closed'
  /** The command of a stdio server could not be started. */
  | 'command'
  /** An unexpected HTTP status, in `status`. */
  | 'status'
  /** The session has expired on the server; the request was not executed. */
  | 'session'
  | 'rate-limited'
  | 'redirect'
  | 'not-mcp'
  | 'too-large'
  /** The service itself is overloaded. */
  | 'busy'
  | 'timeout'
  | 'cancelled'
  | 'unauthorized'
  | 'scope'
  | 'forbidden'
  /** There is no protocol revision that both sides support. */
  | 'version'
  /** The server answered with a JSON-RPC error. */
  | 'rpc'
  | 'unknown';

/** The contents of a `WWW-Authenticate` header. */
export interface Challenge {
  scheme: string;
  resourceMetadataUrl?: string;
  scopes?: string[];
  error?: string;
}

export interface FailureFacts {
  status?: number;
  /** The error code of the operating system or TLS library, such as ECONNREFUSED. */
  code?: string;
  challenge?: Challenge;
  /** The authorization server refused the grant permanently. */
  grantDead?: boolean;
  /** The tokens were replaced by others. */
  grantGone?: boolean;
  /** Seconds. */
  retryAfter?: number;
  /** The timeout in milliseconds. */
  waited?: number;
  location?: string;
  rpc?: { code: number; message: string; data?: unknown };
  /** The target received nothing, so a retry cannot execute the request twice. */
  notSent?: boolean;
}

/** A failed exchange with a target. The message is for users. */
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

/** Walks nested errors, under `cause` and, in the SDK, under `data.cause`. */
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

/** Converts a DNS, TCP, TLS or HTTP error into a failure; undefined for any other error. */
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
        notSent: code !== 'ETIMEDOUT' || wasConnecting(cause),
      });
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return new McpFailure('too-large', `${host} answered with more headers than are accepted`, { code });
    if (/^HPE_|^UND_ERR_(RESPONSE|INVALID|HTTP)/.test(code))
      return new McpFailure('not-mcp', `${host} did not respond with valid HTTP (${code})`, { code });
    if (certificateCodes.test(code))
      return new McpFailure('tls', `${unreachable}: the TLS connection to ${host} failed (${code})`, {
        code,
        notSent: true,
      });
    if (/^E[A-Z]+$/.test(code))
      return new McpFailure('network', `${unreachable}: ${host} (${code})`, {
        code,
        notSent: wasConnecting(cause),
      });
  }
  return undefined;
}

/** Node joins the errors of several addresses in an AggregateError. Established connections fail in other calls. */
function wasConnecting(cause: Error): boolean {
  return cause instanceof AggregateError || (cause as NodeJS.ErrnoException).syscall === 'connect';
}

const certificateCodes =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO|UNSPECIFIED$)/;
