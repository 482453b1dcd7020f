import type { BrowserPolicy } from '../../../browser/policy.ts';
import * as browsers from '../../../platform/database/queries/browser-sessions.ts';
import * as chats from '../../../platform/database/queries/chat-sessions.ts';
import { newId } from '../../../platform/ids.ts';
import { conflict } from '../../base/refusals.ts';
import { ownerOf } from '../../browser-sessions/find.ts';
import { openBrowser } from '../../browser-sessions/open.ts';
import { presentSessionBrowser } from '../../browser-sessions/present.ts';
import { enterProject } from '../../context/access.ts';
import type { Verb } from '../../context/verb.ts';
import { noBrowser } from '../../parts/browser-refusals.ts';
import { type ChatBrowser, chatBrowser } from './find.ts';

export const chatSessionBrowserOpen: Verb<'chatSessionBrowserOpen'> = async (
  context,
  { sessionId, body },
) => {
  const found = await chatBrowser(context, sessionId);
  return opened(found.chat, await openOfChat(found, body));
};

/** The one browser of a chat session; a new one if it was closed. */
export function openOfChat(
  { context, chat }: Pick<ChatBrowser, 'context' | 'chat'>,
  { policy, profileId }: { policy?: BrowserPolicy | undefined; profileId?: string | undefined },
): Promise<browsers.BrowserRow> {
  const chatSessionId = chat.id;
  return openBrowser(context, { policy, profile: profileId, chatSessionId }, async (db) => {
    const latest = await db.row(browsers.findOfChat, { chatSessionId });
    return latest?.state === 'closed' ? undefined : latest;
  });
}

/** Creates a session without a turn; the first message sets its model and other settings. */
export const createChatSessionBrowser: Verb<'createChatSessionBrowser'> = async (context, { body }) => {
  const { projectId, policy, profileId, idempotencyKey } = body;
  const entered = await enterProject(context, projectId);
  const owner = ownerOf(entered);
  const chatSessionId = newId('chat', context.clock());
  const row = await openBrowser(
    entered,
    { policy, profile: profileId, idempotencyKey, chatSessionId },
    async (db) => {
      const earlier = await db.row(browsers.findByKey, { ...owner, idempotencyKey });
      if (earlier && earlier.projectId !== projectId)
        throw conflict(
          'This idempotencyKey was used in another project. Use a new key',
          'IDEMPOTENCY_KEY_REUSED',
        );
      if (!earlier)
        await db.one(chats.insert, {
          visitorId: null,
          ...owner,
          id: chatSessionId,
          projectId,
          origin: 'api',
          title: 'Browser',
          config: {},
          firstMessage: '',
        });
      return earlier;
    },
    async (db) => {
      await db.run(chats.removeEmpty, { id: chatSessionId });
    },
  );
  const chat = await context.db.row(chats.find, { ...owner, id: row.chatSessionId ?? '' });
  if (!chat) throw noBrowser();
  return opened(chat, row);
};

function opened({ id, projectId }: chats.SessionRow, row: browsers.BrowserRow) {
  return { sessionId: id, chatSessionId: id, projectId, browser: presentSessionBrowser(row) };
}
