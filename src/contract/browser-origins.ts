/** A scheme, a host or its subdomains, and a port. */
export interface OriginRule {
  scheme: 'http' | 'https';
  host: string;
  below: boolean;
  port: number;
}

/** Why an `originAllowlist` cannot be enforced; undefined if it can. */
export function problemOfOrigins(allowlist: readonly string[] = []): string | undefined {
  const wrong = allowlist.flatMap(withScheme).find((text) => !originRule(text));
  if (wrong === undefined) return undefined;
  return `originAllowlist: ${JSON.stringify(wrong.slice(0, 200))} is not an origin. Use origins like https://example.com or https://*.example.com`;
}

/** The rules of an `originAllowlist` without problems. */
export function originRules(allowlist: readonly string[]): OriginRule[] {
  return allowlist.flatMap(withScheme).flatMap((text) => originRule(text) ?? []);
}

/** An origin without a scheme stands for http and https. */
function withScheme(text: string): string[] {
  return text.includes('://') ? [text] : [`http://${text}`, `https://${text}`];
}

function originRule(text: string): OriginRule | undefined {
  const below = /^https?:\/\/\*\./i.test(text);
  const plain = below ? text.replace('*.', '') : text;
  const url = URL.canParse(plain) ? new URL(plain) : undefined;
  const scheme = url?.protocol.slice(0, -1);
  if (!url || (scheme !== 'http' && scheme !== 'https') || url.hostname.includes('*')) return undefined;
  const port = url.port === '' ? (scheme === 'http' ? 80 : 443) : Number(url.port);
  return { scheme, host: url.hostname.replace(/\.$/, ''), below, port };
}
