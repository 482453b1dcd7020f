import { describe, expect, test } from 'vitest';
import { cannotBeEmptied, createBody, draftOf, transportDiffers, updateBody } from './card-body.ts';
import type { Card } from './labels.ts';

const card: Card = {
  id: 'rgs_1',
  scope: 'organization',
  name: 'weather',
  displayName: 'Weather',
  tags: ['sea', 'sky'],
  status: 'active',
  transport: {
    url: 'https://weather.example.com/mcp',
    useOAuth: true,
    hasOAuthConfig: true,
    oauthScopes: ['read'],
  },
};

describe('what a form of a card sends', () => {
  test('a new card has what was filled in and nothing else', () => {
    const draft = {
      ...draftOf(),
      name: ' weather ',
      url: ' https://weather.example.com/mcp ',
      tags: 'sea, ,sea, sky',
    };
    expect(createBody(draft)).toEqual({
      name: 'weather',
      tags: ['sea', 'sky'],
      transport: { url: 'https://weather.example.com/mcp' },
    });
    const signedIn = { ...draft, useOAuth: true, oauthScopes: 'read  write', clientId: 'drydock' };
    expect(createBody(signedIn).transport).toEqual({
      url: 'https://weather.example.com/mcp',
      useOAuth: true,
      oauthScopes: ['read', 'write'],
      clientId: 'drydock',
    });
  });

  test('a changed card sends what differs, and its transport only when that does', () => {
    const draft = draftOf(card);
    expect(updateBody(draft, card)).toEqual({});
    expect(updateBody({ ...draft, name: 'tides', tags: '' }, card)).toEqual({ name: 'tides', tags: [] });
    expect(transportDiffers({ ...draft, url: 'https://tides.example.com/mcp' }, card)).toBe(true);
    expect(updateBody({ ...draft, useOAuth: false }, card)).toEqual({
      transport: { url: 'https://weather.example.com/mcp' },
    });
  });

  test('a title that a card has can be another one but not none', () => {
    expect(cannotBeEmptied({ ...draftOf(card), displayName: ' ' }, card)).toEqual(new Set(['displayName']));
    expect(cannotBeEmptied(draftOf(), undefined)).toEqual(new Set());
  });
});
