import { openCursor } from '../paging.ts';
import type { Verb } from '../verb.ts';

/** Nothing makes sessions yet, so every page is the empty last one. */
export const listSessions: Verb<'listSessions'> = (context, input) => {
  if (input.cursor !== undefined) openCursor(context, ['sessions', context.project.id], input.cursor);
  return input.scope === undefined ? { items: [] } : { items: [], scope: input.scope };
};
