import { z } from 'zod';

/** `{items, nextCursor?}`: `nextCursor` is absent on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      items: z.array(item),
      nextCursor: z
        .string()
        .optional()
        .describe('Send it as `cursor` for the next page; absent on the last.'),
    })
    .meta({ id });
}

const Cursor = z
  .string()
  .max(2048)
  .optional()
  .describe('`nextCursor` of the page before. It belongs to the same filters.');

function limitUpTo(maximum: number, fallback: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(maximum)
    .default(fallback)
    .describe(`How many items a page holds at most; ${fallback} when left out.`);
}

/** Lists that existing clients read in one page to look an id or a name up. */
export const lookupPage = { cursor: Cursor, limit: limitUpTo(1000, 1000) };

/** Lists that grow without bound. */
export const historyPage = { cursor: Cursor, limit: limitUpTo(200, 50) };

/** Epoch milliseconds. */
export const Time = z.number().int().describe('Epoch milliseconds.');
