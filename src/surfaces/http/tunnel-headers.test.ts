import { expect, test } from 'vitest';
import { inSandbox } from './tunnel-headers.ts';

const ours = [
  ['content-security-policy', 'sandbox'],
  ['x-content-type-options', 'nosniff'],
];

test.each([
  ...[
    'Set-Cookie',
    'Set-Cookie2',
    'Clear-Site-Data',
    'Service-Worker-Allowed',
    'Strict-Transport-Security',
    'Alt-Svc',
  ],
  ...[
    'NEL',
    'Report-To',
    'Reporting-Endpoints',
    'Refresh',
    'Link',
    'Accept-CH',
    'Critical-CH',
    'Origin-Trial',
    'SourceMap',
  ],
  ...[
    'X-SourceMap',
    'Speculation-Rules',
    'Permissions-Policy',
    'Cross-Origin-Opener-Policy',
    'Origin-Agent-Cluster',
  ],
  ...[
    'X-Content-Type-Options',
    'X-Frame-Options',
    'X-DNS-Prefetch-Control',
    'Referrer-Policy',
    'Proxy-Authenticate',
  ],
  ...[
    'Set-Login',
    'Sec-Session-Registration',
    'Activate-Storage-Access',
    'Public-Key-Pins',
    'Expect-CT',
    'Xfoo',
  ],
  ...[
    'Attribution-Reporting-Register-Source',
    'Content-Security-Policy',
    'Content-Security-Policy-Report-Only',
    'X-Accel-Redirect',
    'X-Sendfile',
    'Connection',
    'Use-As-Dictionary',
  ],
])('%s of a server behind a tunnel does not reach a browser', (name) => {
  expect(inSandbox([[name, 'x, nosniff']])).toEqual(ours);
  expect(inSandbox([[name.toLowerCase(), 'any']])).toEqual(ours);
});

test.each([
  ...['Content-Type', 'Content-Length', 'Cache-Control', 'ETag', 'Location', 'Retry-After', 'Mcp-Session-Id'],
  ...[
    'MCP-Protocol-Version',
    'Access-Control-Allow-Origin',
    'X-Request-Id',
    'RateLimit-Remaining',
    'RateLimit',
  ],
])('%s does', (name) => {
  expect(inSandbox([[name, 'value']])).toEqual([[name, 'value'], ...ours]);
});

test.each([
  ['Bearer', true],
  ['Bearer realm="a, Basic b", resource_metadata="https://a.example.com/.well-known/x"', true],
  ['DPoP algs="ES256", Bearer error="invalid_token"', true],
  ['Basic realm="Drydock"', false],
  ['Bearer realm="a", Basic realm="Drydock"', false],
  ['Bearer realm="a, Basic realm="Drydock"', false],
  ['Bearer, Negotiate', false],
  ['Digest realm="x"', false],
  ['Bearer,Basic realm=x', false],
  ['', false],
])('a challenge that says %s is passed on: %s', (value, passes) => {
  const named: [string, string] = ['WWW-Authenticate', value];
  expect(inSandbox([named])).toEqual(passes ? [named, ...ours] : ours);
});
