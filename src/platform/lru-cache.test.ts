import { expect, test } from 'vitest';
import { LruCache } from './lru-cache.ts';

test('a load that fails after its value was forgotten leaves the newer value', async () => {
  let fail = (_error: Error): void => {};
  const loads = [new Promise<string>((_, reject) => (fail = reject)), Promise.resolve('second')];
  const cache = new LruCache(() => loads.shift() as Promise<string>, 2);
  const first = cache.get('a');
  cache.forget('a');
  expect(await cache.get('a')).toBe('second');
  fail(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  expect(await cache.get('a')).toBe('second');
});

test('a failed load is repeated, and the least recently used value is dropped', async () => {
  const loaded: string[] = [];
  const cache = new LruCache(async (id) => {
    if (loaded.push(id) === 1) throw new Error('lost');
    return id;
  }, 2);
  await expect(cache.get('a')).rejects.toThrow('lost');
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(id);
  expect(loaded).toEqual(['a', 'a', 'b', 'c', 'b']);
});
