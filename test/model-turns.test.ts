import { expect, test } from 'vitest';
import type { Services } from '../src/domain/context/context.ts';
import { partsForRequest } from '../src/domain/model-calls/request-parts.ts';

test('The turns of one organization leave slots of a model to others', async () => {
  const ends = new AbortController();
  const begun: string[] = [];
  const end: (() => void)[] = [];
  const turn = (organization: string): Promise<void> =>
    partsForRequest({} as Services, organization).slots.run('model m', 4, ends.signal, () => {
      begun.push(organization);
      return new Promise<void>((resolve) => end.push(resolve));
    });
  const all = [...Array.from({ length: 10 }, () => turn('a')), turn('b')];
  // Each begins in a few turns of microtasks, or waits.
  for (let nth = 0; nth < 20; nth++) await Promise.resolve();
  expect(begun.toSorted()).toEqual(['a', 'a', 'b']);
  for (let nth = 0; nth < all.length; nth++) {
    end[nth]?.();
    for (let step = 0; step < 20; step++) await Promise.resolve();
  }
  await Promise.all(all);
  expect(begun).toHaveLength(11);
});
