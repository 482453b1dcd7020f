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
  address: 'Its address is not allowed here. The operator can allow it with DRYDOCK_ALLOWED_NETWORKS',
  dns: 'Its name cannot be resolved',
  tls: 'Its certificate is not trusted',
  'too-large': 'Its response is too large',
  redirect: 'It redirects too often, or to an address that is not followed',
};

/** Classifies an error from reading a source. */
export function failureOf(error: unknown, timedOut: boolean): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (timedOut) return new SourceFailure('It did not answer in time', { mayGoOn: true, cause: error });
  if (error instanceof McpFailure) {
    const known = words[error.kind];
    return new SourceFailure(known ?? 'It cannot be reached', { mayGoOn: known === undefined, cause: error });
  }
  return new SourceFailure('It could not be read', { cause: error });
}
