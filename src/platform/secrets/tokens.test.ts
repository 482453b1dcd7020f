import { expect, it } from 'vitest';
import { hashToken, newToken } from './tokens.ts';

it('a token holds 256 bits, is never the same, and can be an argument of a command', () => {
  const tokens = Array.from({ length: 1_000 }, newToken);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(tokens.filter((token) => !/^[\w][\w-]{42}$/.test(token))).toEqual([]);
  expect(hashToken(tokens[0] as string)).toHaveLength(32);
});
