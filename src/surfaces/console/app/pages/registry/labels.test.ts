import { describe, expect, test } from 'vitest';
import { registrySearch } from './address.ts';
import { askedOf, configurationLabel, tierText } from './labels.ts';

describe('what the directory is asked for', () => {
  test.each([
    [{}, {}],
    [
      { q: 'weather', source: 'official' },
      { q: 'weather', source: 'official' },
    ],
    [{ kind: 'remote' }, { rowType: 'remote' }],
    [{ kind: 'package' }, { rowType: 'package' }],
    [
      { kind: 'tenant', installable: true },
      { endpointKind: 'tenant', connectableOnly: 'true' },
    ],
    [{ kind: 'no such', installable: 'yes', q: '' }, {}],
    [{ q: 'x'.repeat(300) }, { q: 'x'.repeat(200) }],
  ])('by the address %j', (raw, asked) => {
    expect(askedOf(registrySearch(raw))).toEqual({ limit: 50, ...asked });
  });
});

test('words that are not known yet are shown as they are', () => {
  expect(configurationLabel('oauth')).toBe('oauth');
  expect(configurationLabel(undefined)).toBe('unknown');
  expect(tierText('signed')).toBe('signed');
});
