import { type FailureKind, McpFailure } from '../../../mcp/failures.ts';

/** Why a source could not be read, in words safe to show: without its address. */
export class SourceFailure extends Error {
  /** Whether the next attempt may resume where this one stopped. */
  readonly mayGoOn: boolean;

  constructor(message: string, { mayGoOn = false, cause }: { mayGoOn?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'SourceFailure';
    this.mayGoOn = mayGoOn;
  }
}

const words: Partial<Record<FailureKind, string>> = {
  address:
    'The network of the source is not allowed. The operator can allow it with DRYDOCK_ALLOWED_NETWORKS',
  dns: 'The host name does not resolve',
  tls: 'The TLS certificate is not trusted',
  'too-large': 'The response is too large',
  redirect: 'Too many redirects, or a redirect to a URL that is not followed',
};

/** Classifies an error from reading a source. */
export function failureOf(error: unknown, timedOut: boolean): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (timedOut) return new SourceFailure('Timed out', { mayGoOn: true, cause: error });
  if (error instanceof McpFailure) {
    const known = words[error.kind];
    return new SourceFailure(known ?? 'The source is unreachable', {
      mayGoOn: known === undefined,
      cause: error,
    });
  }
  return new SourceFailure('The source could not be read', { cause: error });
}
