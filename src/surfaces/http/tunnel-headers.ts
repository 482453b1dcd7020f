import { forwardedHeaders, type HeaderList } from '../../tunnels/wire.ts';

/**
 * Response headers that describe the response itself or are unknown to browsers. Others are dropped, because they could
 * affect the whole origin of the service: `Set-Cookie`, `Clear-Site-Data`, `Refresh`, `Link`, and future ones.
 */
const aboutTheAnswer = new Set([
  ...['content-type', 'content-length', 'content-encoding', 'content-language', 'content-range'],
  ...['content-disposition', 'content-location', 'content-digest', 'repr-digest', 'digest', 'accept-ranges'],
  ...[
    'cache-control',
    'expires',
    'pragma',
    'age',
    'date',
    'etag',
    'last-modified',
    'vary',
    'location',
    'allow',
  ],
  ...['retry-after', 'deprecation', 'sunset', 'server', 'server-timing', 'via', 'trailer', 'request-id'],
  ...['correlation-id', 'traceparent', 'tracestate', 'dpop-nonce'],
]);
const ofAKind = /^(?:mcp|access-control|x|ratelimit)(?:-|$)/;
const ofBrowsers =
  /^x-(?:content-type-options|dns-prefetch-control|frame-options|sourcemap|ua-compatible|xss-protection)$/;

/** Instructions to a proxy, which could respond with internal files or pages. */
const ofProxies = /^x-(?:accel|sendfile|lighttpd|reproxy)(?:-|$)/;

/** Prevents browsers from running content of tunneled servers, which has the origin of the service. */
export function inSandbox(headers: HeaderList): HeaderList {
  const passing = forwardedHeaders(headers).filter(([name, value]) => passes(name.toLowerCase(), value));
  return [...passing, ['content-security-policy', 'sandbox'], ['x-content-type-options', 'nosniff']];
}

function passes(name: string, value: string): boolean {
  if (name === 'www-authenticate') return asksForToken(value);
  const isOfAKind = ofAKind.test(name) && !ofBrowsers.test(name) && !ofProxies.test(name);
  return aboutTheAnswer.has(name) || isOfAKind;
}

/** Whether all challenges ask for a token, as MCP clients need. For others, browsers would prompt for a password. */
function asksForToken(challenges: string): boolean {
  const unquoted = challenges.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  const parts = unquoted.split(',').map((part) => part.trim());
  return (
    !unquoted.includes('"') && parts.every((part) => /^(?:(?:Bearer|DPoP)(?: |$)|[\w.~-]+=)/i.test(part))
  );
}
