import { projectOf } from '../access.ts';
import { openCursor } from '../paging.ts';
import type { Verb } from '../verb.ts';

/** Nothing makes sessions yet, so every page is the empty last one. */
export const listChatSessions: Verb<'listChatSessions'> = async (context, input) => {
  if (input.projectId !== undefined) await projectOf(context, input.projectId);
  if (input.before !== undefined) openCursor(context, ['chat-sessions', context.actor.user.id], input.before);
  return { items: [] };
};
