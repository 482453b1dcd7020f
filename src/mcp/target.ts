import { findSecrets } from './escaped-secrets.ts';
import { McpFailure } from './failures.ts';
import type { Way } from './outbound.ts';

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
  /** When it is not reached over the network. */
  way?: Way | undefined;
}

export interface StdioTarget {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Names of the variables that secrets of a run filled. */
  delivered?: readonly string[];
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

/** What stands before the secret in a header. */
const schemes = /^(?:basic|bearer|digest|token)$/i;

/** Shorter values are no secrets, and stand in texts by chance. */
export function isSecret(value: string): boolean {
  return value.length >= 6 && !schemes.test(value);
}

/** Headers that say what is understood, and how: their values stand in results by rights. */
const plainHeaders = /^(?:accept(?:-.+)?|cache-control|content-type|user-agent)$/i;

/** What must not be repeated in a message: whatever the target could echo. */
export function secretsOf(address: Address): string[] {
  const values =
    address.kind === 'http'
      ? Object.entries(address.headers).flatMap(([name, value]) => (plainHeaders.test(name) ? [] : [value]))
      : Object.values(address.env);
  const tokens = values.flatMap((value) => [value, ...value.split(/\s+/), ...basicCredentials(value)]);
  return tokens.filter(isSecret).sort((a, b) => b.length - a.length);
}

/** People put keys into addresses. As they are written there, and as they are meant. */
export function secretsInUrl(address: string | null): string[] {
  if (address === null) return [];
  const { username, password, search, searchParams } = new URL(address);
  const written = search
    .slice(1)
    .split('&')
    .map((field) => field.slice(field.indexOf('=') + 1));
  return [username, password, ...written, ...searchParams.values()]
    .filter(({ length }) => length >= 6)
    .sort((a, b) => b.length - a.length);
}

/** User name and password together, and the password alone. */
function basicCredentials(value: string): string[] {
  const encoded = /^Basic\s+(\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  const both = Buffer.from(encoded, 'base64').toString();
  return [both, both.slice(both.indexOf(':') + 1)];
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutSecretsUpTo(text, secrets, text.length).shown;
}

/** The text without the secrets that begin before `most`: what of it may be shown, and where in it that ends. */
export function withoutSecretsUpTo(
  text: string,
  secrets: readonly string[],
  most: number,
): { shown: string; end: number } {
  let shown = '';
  let from = 0;
  for (const [start, end] of findSecrets(text, secrets)) {
    if (start >= most && start >= from) break;
    if (start >= from) shown += `${text.slice(from, start)}[hidden]`;
    from = Math.max(from, end);
  }
  const end = Math.max(from, most);
  return { shown: shown + text.slice(from, end), end };
}

/** How far into a long text secrets are looked for: undoing escapes takes a millisecond for each kilobyte. */
const searchedText = 16 * 1024;
/** One character of a secret may be written with this many. */
const longestEscape = 10;

/** The beginning of a text. Secrets are hidden first: half of one at the end would not be recognised. */
export function beginningWithoutSecrets(
  text: string,
  secrets: readonly string[],
  shown: number,
  searched = searchedText,
): string {
  const hidden = withoutSecrets(text.slice(0, searched), secrets);
  const whole = text.length <= searched;
  const longest = Math.max(0, ...secrets.map(({ length }) => length)) * longestEscape;
  return hidden.slice(0, whole ? shown : Math.max(0, Math.min(shown, hidden.length - longest)));
}

/** Deeper values would exhaust the stack, here or where they are written down. */
const deepest = 200;

/** The same for all text in a value. */
export function hideSecrets<T>(value: T, secrets: readonly string[], depth = 0): T {
  if (typeof value === 'string') return withoutSecrets(value, secrets) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return '[nested too deeply]' as T;
  const inside = <Part>(part: Part): Part => hideSecrets(part, secrets, depth + 1);
  if (Array.isArray(value)) return value.map((one: unknown) => inside(one)) as T;
  if (value instanceof McpFailure)
    return new McpFailure(value.kind, withoutSecrets(value.message, secrets), inside(value.facts)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [withoutSecrets(key, secrets), inside(one)]),
  ) as T;
}
