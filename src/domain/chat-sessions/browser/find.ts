import * as browsers from '../../../platform/database/queries/browser-sessions.ts';
import * as chats from '../../../platform/database/queries/chat-sessions.ts';
import { conflict, noChatSession } from '../../base/refusals.ts';
import { ownerOf } from '../../browser-sessions/find.ts';
import { enterProject } from '../../context/access.ts';
import type { Context, ProjectContext } from '../../context/context.ts';
import { closeLost } from '../../parts/browser-claim.ts';

export interface ChatBrowser {
  context: ProjectContext;
  chat: chats.SessionRow;
  row: browsers.BrowserRow | undefined;
}

/** A chat session of the caller, not of a study or journey, and its latest browser, open or closed. */
export async function chatBrowser(context: Context, sessionId: string): Promise<ChatBrowser> {
  const owner = ownerOf(context);
  const chat = await context.db.row(chats.find, { ...owner, id: sessionId });
  if (!chat || chat.origin !== 'api') throw noChatSession();
  await closeLost(context.db, owner.userId);
  const row = await context.db.row(browsers.findOfChat, { chatSessionId: chat.id });
  return { context: await enterProject(context, chat.projectId), chat, row };
}

export async function openChatBrowser(
  context: Context,
  sessionId: string,
): Promise<ChatBrowser & { row: browsers.BrowserRow }> {
  const found = await chatBrowser(context, sessionId);
  if (!found.row) throw conflict('This session has no browser. Open one first', 'BROWSER_NOT_OPEN');
  return { ...found, row: found.row };
}
