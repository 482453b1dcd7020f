import { expect, test } from 'vitest';
import { EraCache, type EraVerdict } from './era-cache.ts';

const modern = (instructions: string): EraVerdict => ({
  era: 'modern',
  transport: 'streamable-http',
  discover: { supportedVersions: ['2026-07-28'], capabilities: {}, instructions },
});

test('what was learned is remembered for an hour, unless it is large', () => {
  let now = 0;
  const eras = new EraCache(() => now);
  eras.learn('small', modern('Be kind.'));
  eras.learn('large', modern('x'.repeat(100_000)));
  eras.learn('x'.repeat(100_000), { era: 'legacy', transport: 'sse' });
  expect(eras.get('small')).toEqual(modern('Be kind.'));
  expect(eras.get('large')).toBeUndefined();
  expect(eras.get('x'.repeat(100_000))).toBeUndefined();
  now = 3_600_000;
  expect(eras.get('small')).toBeUndefined();
});
