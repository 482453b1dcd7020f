import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SignedUrls } from './signed-urls.ts';

const urls = new SignedUrls(Buffer.alloc(32, 7));
const video = 'blob_01k';

test('a token says what it was made for until its time is over', () => {
  const token = urls.make(video, 60_000);
  expect(urls.read(token, 59_999)).toEqual(video);
  expect(urls.read(token, 60_000)).toBeUndefined();
  expect(token).toMatch(/^[\w-]{1,128}$/);
});

test('whatever is changed about a token, it opens nothing, and nowhere else', () => {
  const token = urls.make(video, 60_000);
  fc.assert(
    fc.property(fc.string(), fc.nat(token.length), (piece, at) => {
      const changed = token.slice(0, at) + piece + token.slice(at + 1);
      expect(urls.read(changed, 0)).toEqual(changed === token ? video : undefined);
    }),
    { numRuns: 1000 },
  );
  expect(new SignedUrls(Buffer.alloc(32, 8)).read(token, 0)).toBeUndefined();
});
