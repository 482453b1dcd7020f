import { findSecrets } from './escaped-secrets.ts';
import { McpFailure } from './failures.ts';
import type { OutboundRoute } from './outbound.ts';

/** Authorizes requests to an HTTP target. */
export interface Credential {
  token(): Promise<string>;
  /** Returns a token to try after the target refused `sent`, or throws why none could be obtained. */
  renew(sent: string): Promise<string>;
}

export interface HttpTarget {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
  credential?: Credential;
  /** The route of a target that is not reached over the network. */
  way?: OutboundRoute | undefined;
}

export interface StdioTarget {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Variables with secrets of a run. */
  delivered?: readonly string[];
}

/** The client info to send, and the allowed protocol revisions. */
export interface ProtocolSettings {
  clientInfo?: { name: string; version: string; [field: string]: unknown };
  clientCapabilities?: Record<string, unknown>;
  /** Only this revision. */
  protocolVersion?: string;
  /** Only these revisions, in order of preference. */
  supportedVersions?: string[];
}

export type Address = HttpTarget | StdioTarget;

export interface Target {
  /**
   * Targets with equal keys may share a connection: the key contains the organization, the server, its revision, the
   * credential and the protocol settings.
   */
  key: string;
  /** The organization, for the fair distribution of limited resources. */
  owner: string;
  /** The ID of the server, if the target is a saved one. */
  serverId?: string;
  kind: Address['kind'];
  /** Called only to open a connection: a warm one needs no secrets. */
  address(): Promise<Address>;
  protocol: ProtocolSettings;
}

/** The scheme before the secret in a header. */
const schemes = /^(?:basic|bearer|digest|token)$/i;

/** Whether a value counts as a secret. Shorter values match by chance. */
export function isSecret(value: string): boolean {
  return value.length >= 6 && !schemes.test(value);
}

/** Headers for content negotiation, whose values may appear in results. */
const plainHeaders = /^(?:accept(?:-.+)?|cache-control|content-type|user-agent)$/i;

/** Values that the target could echo and that must not appear in messages. */
export function secretsOf(address: Address): string[] {
  const values =
    address.kind === 'http'
      ? Object.entries(address.headers).flatMap(([name, value]) => (plainHeaders.test(name) ? [] : [value]))
      : Object.values(address.env);
  const tokens = values.flatMap((value) => [value, ...value.split(/\s+/), ...basicCredentials(value)]);
  return tokens.filter(isSecret).sort((a, b) => b.length - a.length);
}

/** User name, password and query values of a URL, both encoded and decoded. */
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

/** User name with password, and the password alone. */
function basicCredentials(value: string): string[] {
  const encoded = /^Basic\s+(\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  const both = Buffer.from(encoded, 'base64').toString();
  return [both, both.slice(both.indexOf(':') + 1)];
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return withoutSecretsUpTo(text, secrets, text.length).shown;
}

/** Hides the secrets that start before `most`. Returns the text that may be shown, and its end in the original. */
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

/** Characters of a long text that are searched for secrets: undoing escapes takes a millisecond per kilobyte. */
const searchedText = 16 * 1024;
/** Maximum length of one escaped character. */
const maxEscapeLength = 10;

/** The start of a text. Hides secrets before cutting, because part of a secret would not be recognized. */
export function beginningWithoutSecrets(
  text: string,
  secrets: readonly string[],
  shown: number,
  searched = searchedText,
): string {
  const hidden = withoutSecrets(text.slice(0, searched), secrets);
  const whole = text.length <= searched;
  const longest = Math.max(0, ...secrets.map(({ length }) => length)) * maxEscapeLength;
  return hidden.slice(0, whole ? shown : Math.max(0, Math.min(shown, hidden.length - longest)));
}

/** More levels than a message may have (`messageLimits`). Unbounded recursion would overflow the stack. */
export const maxRedactedDepth = 270;

/** Hides secrets in every text of a value. */
export function hideSecrets<T>(value: T, secrets: readonly string[], depth = 0): T {
  if (typeof value === 'string') return withoutSecrets(value, secrets) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxRedactedDepth) return '[nested too deeply]' as T;
  const inside = <Part>(part: Part): Part => hideSecrets(part, secrets, depth + 1);
  if (Array.isArray(value)) return value.map((one: unknown) => inside(one)) as T;
  if (value instanceof McpFailure)
    return new McpFailure(value.kind, withoutSecrets(value.message, secrets), inside(value.facts)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [withoutSecrets(key, secrets), inside(one)]),
  ) as T;
}
