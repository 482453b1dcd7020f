import { expect, test } from 'vitest';
import { Batch } from './batch.ts';

test('what is added in one turn, and while a batch is written, is written together, so many at most', async () => {
  const written: number[][] = [];
  const batch = new Batch<number>(
    async (items) => {
      written.push(items);
      if (written.length === 1) later.push(batch.add(4), batch.add(5), batch.add(6), batch.add(7));
    },
    { most: 3 },
  );
  const later: Promise<void>[] = [];
  await Promise.all([1, 2, 3].map((item) => batch.add(item)));
  await Promise.all(later);
  expect(written).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

test('a batch that fails fails for those in it, and for nobody who came meanwhile', async () => {
  let meanwhile: Promise<void> | undefined;
  const batch = new Batch<string>((items) => {
    if (!items.includes('bad')) return Promise.resolve();
    meanwhile = batch.add('late');
    throw new Error('refused');
  });
  const outcomes = await Promise.allSettled([batch.add('good'), batch.add('bad')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await meanwhile;
  await batch.add('next');
});

test('it is idle when all that waits was written or refused', async () => {
  const ended: string[] = [];
  const batch = new Batch<string>(
    async (items) => {
      if (items.includes('bad')) throw new Error('refused');
    },
    { linger: 5, most: 1 },
  );
  await batch.idle();
  for (const item of ['first', 'bad', 'last'])
    batch.add(item).then(
      () => ended.push(item),
      () => ended.push(`not ${item}`),
    );
  await batch.idle();
  expect(ended).toEqual(['first', 'not bad', 'last']);
});
