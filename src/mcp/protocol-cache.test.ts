import { expect, test } from 'vitest';
import { type DetectedProtocol, ProtocolCache } from './protocol-cache.ts';

const modern = (instructions: string): DetectedProtocol => ({
  era: 'modern',
  transport: 'streamable-http',
  discover: { supportedVersions: ['2026-07-28'], capabilities: {}, instructions },
});

test('what was learned is remembered for an hour, unless it is large', () => {
  let now = 0;
  const protocols = new ProtocolCache(() => now);
  protocols.learn('small', modern('Be kind.'));
  protocols.learn('large', modern('x'.repeat(100_000)));
  protocols.learn('x'.repeat(100_000), { era: 'legacy', transport: 'sse' });
  expect(protocols.get('small')).toEqual(modern('Be kind.'));
  expect(protocols.get('large')).toBeUndefined();
  expect(protocols.get('x'.repeat(100_000))).toBeUndefined();
  now = 3_600_000;
  expect(protocols.get('small')).toBeUndefined();
});
