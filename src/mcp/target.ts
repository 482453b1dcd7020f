import { McpFailure } from './failures.ts';

/** Who authorizes our requests to an HTTP target. */
export interface Credential {
  /** The access token to send now. */
  token(): Promise<string>;
  /**
   * The target refused `sent`. Answers with a token to try instead, or throws a failure that says why there is none.
   */
  renew(sent: string): Promise<string>;
}

export interface HttpTarget {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
  credential?: Credential;
}

export interface StdioTarget {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** How we present ourselves, and which revisions we may speak. */
export interface ProtocolSettings {
  clientInfo?: { name: string; version: string; [field: string]: unknown };
  clientCapabilities?: Record<string, unknown>;
  /** Only this revision. */
  protocolVersion?: string;
  /** Only these revisions, the first is preferred. */
  supportedVersions?: string[];
}

export type Address = HttpTarget | StdioTarget;

export interface Target {
  /**
   * Equal keys may share a connection: the key names the organization, the server, its revision, the credential and
   * the protocol settings.
   */
  key: string;
  /** The organization it belongs to: each gets its share of what there is little of. */
  owner: string;
  /** The saved server, when it is one. */
  serverId?: string;
  kind: Address['kind'];
  /** Asked for only when a connection is opened: a warm one needs no secrets. */
  address(): Promise<Address>;
  protocol: ProtocolSettings;
}

/** What must not be repeated in a message: whatever the target could echo. */
export function secretsOf(address: Address): string[] {
  const values = Object.values(address.kind === 'http' ? address.headers : address.env);
  const tokens = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return tokens.filter((value) => value.length >= 6).sort((a, b) => b.length - a.length);
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (scrubbed, secret) =>
      scrubbed.replaceAll(secret, '[hidden]').replaceAll(encodeURIComponent(secret), '[hidden]'),
    text,
  );
}

/** The same for all text in a value. */
export function hideSecrets<T>(value: T, secrets: readonly string[]): T {
  if (typeof value === 'string') return withoutSecrets(value, secrets) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => hideSecrets(one, secrets)) as T;
  if (value instanceof McpFailure)
    return new McpFailure(
      value.kind,
      withoutSecrets(value.message, secrets),
      hideSecrets(value.facts, secrets),
    ) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [withoutSecrets(key, secrets), hideSecrets(one, secrets)]),
  ) as T;
}
