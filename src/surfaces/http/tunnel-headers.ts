import { type HeaderList, handedOn } from '../../tunnels/wire.ts';

/**
 * Headers of an answer that say something about the answer, and those that browsers know nothing of. Any other might be
 * about this whole origin, which is not the server's: `Set-Cookie`, `Clear-Site-Data`, `Refresh`, `Link`, and what browsers
 * learn next.
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

/** Instructions to a proxy in front of the service, which may answer with a file or a page of ours. */
const ofProxies = /^x-(?:accel|sendfile|lighttpd|reproxy)(?:-|$)/;

/** What a server behind a tunnel sends is no page of ours, though it has our origin: a browser runs nothing of it. */
export function inSandbox(headers: HeaderList): HeaderList {
  const passing = handedOn(headers).filter(([name, value]) => passes(name.toLowerCase(), value));
  return [...passing, ['content-security-policy', 'sandbox'], ['x-content-type-options', 'nosniff']];
}

function passes(name: string, value: string): boolean {
  if (name === 'www-authenticate') return asksForToken(value);
  const isOfAKind = ofAKind.test(name) && !ofBrowsers.test(name) && !ofProxies.test(name);
  return aboutTheAnswer.has(name) || isOfAKind;
}

/** As MCP clients need it. For any other scheme a browser would ask for a password, in our name. */
function asksForToken(challenges: string): boolean {
  const unquoted = challenges.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  const parts = unquoted.split(',').map((part) => part.trim());
  return (
    !unquoted.includes('"') && parts.every((part) => /^(?:(?:Bearer|DPoP)(?: |$)|[\w.~-]+=)/i.test(part))
  );
}
