import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cspHeader, originsOf, widgetCsp } from './csp.ts';

test('what is declared is allowed, what is not is denied', () => {
  const csp = widgetCsp({
    connectDomains: ['https://api.example.com', 'wss://live.example.com:8443/', '*.example.org'],
    resource_domains: ['https://cdn.example.com'],
  });
  const header = cspHeader(csp);
  expect(header).toContain('connect-src https://api.example.com wss://live.example.com:8443 *.example.org;');
  expect(header).toContain("script-src 'self' 'unsafe-inline' https://cdn.example.com;");
  expect(header).toContain("frame-src 'none';");
  expect(originsOf(csp)).toEqual([
    'https://api.example.com',
    'https://live.example.com:8443',
    '*.example.org',
    'https://cdn.example.com',
  ]);
  expect(cspHeader(widgetCsp(undefined))).toContain("connect-src 'none';");
});

test('nothing that a server declares ends a directive, a header or a source', () => {
  const bare = cspHeader(widgetCsp({})).split('; ').length;
  const pieces = fc.constantFrom(
    'https://',
    'a.b',
    ';',
    ' ',
    "'unsafe-eval'",
    '*',
    ',',
    '\r\n',
    ':80',
    'data:',
    '/x',
    '"',
  );
  const hostile = fc.oneof(
    fc.string(),
    fc.array(pieces).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.array(hostile), (domains) => {
      const header = cspHeader(
        widgetCsp({
          connectDomains: domains,
          resourceDomains: domains,
          frameDomains: domains,
          baseUriDomains: domains,
        }),
      );
      expect(header).toMatch(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/);
      expect(header.split('; ')).toHaveLength(bare);
      expect(header).not.toMatch(/unsafe-eval|,| \* | \*;/);
    }),
    { numRuns: 1000 },
  );
});
