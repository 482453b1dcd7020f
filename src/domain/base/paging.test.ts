import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Cursors } from '../../platform/secrets/cursors.ts';
import { pageBy } from './paging.ts';

const context = { cursors: new Cursors(randomBytes(32)) };

interface Row {
  at: number;
  name: string;
  id: string;
}

/** Newest first, then by name: the order of an index on (at, name, id). */
const before = (a: Row, b: Row): number =>
  b.at - a.at || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || (a.id < b.id ? -1 : 1);

test('pages in any order are the whole list, each row once, whatever the limit', async () => {
  const rows = fc.uniqueArray(
    fc.record({ at: fc.integer({ min: 0, max: 3 }), name: fc.string({ maxLength: 2 }), id: fc.uuid() }),
    { selector: ({ id }) => id, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (all, limit) => {
      const sorted = all.toSorted(before);
      const fetch = async (after: readonly [number, string, string] | undefined, most: number) => {
        const [at, name, id] = after ?? [Number.POSITIVE_INFINITY, '', ''];
        return sorted.filter((row) => !after || before({ at, name, id }, row) < 0).slice(0, most);
      };
      const seen: Row[] = [];
      let cursor: string | undefined;
      do {
        const page: { items: Row[]; nextCursor?: string } = await pageBy(
          context,
          { cursor, limit },
          {
            scope: ['test'],
            placeOf: (row: Row) => [row.at, row.name, row.id] as const,
            fetch,
            present: (row) => row,
          },
        );
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(sorted);
    }),
  );
});
