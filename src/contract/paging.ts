import { z } from 'zod';

/** `{items, nextCursor?}`: `nextCursor` is absent on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      items: z.array(item),
      nextCursor: z
        .string()
        .optional()
        .describe('Send it as `cursor` to get the next page. Absent on the last page.'),
    })
    .meta({ id });
}

const Cursor = z
  .string()
  .max(2048)
  .optional()
  .describe('`nextCursor` of the previous page. Only valid with the same filters.');

/** Query parameters of a list. */
export function pageUpTo(maximum: number, fallback: number) {
  const limit = z.coerce
    .number()
    .int()
    .min(1)
    .max(maximum)
    .default(fallback)
    .describe(`Maximum number of items per page. Default ${fallback}.`);
  return { cursor: Cursor, limit };
}

/** For lists that existing clients read in one page to look up an ID or a name. */
export const lookupPage = pageUpTo(1000, 1000);

/** For lists that grow without limit. */
export const historyPage = pageUpTo(200, 50);

/** Epoch milliseconds. */
export const Time = z.number().int().describe('Epoch milliseconds.');
