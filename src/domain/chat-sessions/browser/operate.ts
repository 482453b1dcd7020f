import { closeBrowser } from '../../browser-sessions/close.ts';
import { sendCommand } from '../../browser-sessions/command.ts';
import { writeNote } from '../../browser-sessions/note.ts';
import { pictureUrl, presentSessionBrowser } from '../../browser-sessions/present.ts';
import { entriesOf, pictureOf } from '../../browser-sessions/trace.ts';
import type { Verb } from '../../context/verb.ts';
import { openChatBrowser } from './find.ts';

export const chatSessionBrowserCommand: Verb<'chatSessionBrowserCommand'> = async (
  asking,
  { sessionId, body },
) => {
  const { context, row } = await openChatBrowser(asking, sessionId);
  return sendCommand(context, row, body);
};

export const chatSessionBrowserNote: Verb<'chatSessionBrowserNote'> = async (asking, { sessionId, body }) => {
  const { context, row } = await openChatBrowser(asking, sessionId);
  return writeNote(context, row, body);
};

export const chatSessionBrowserTrace: Verb<'chatSessionBrowserTrace'> = async (
  context,
  { sessionId, body },
) => {
  const { row } = await openChatBrowser(context, sessionId);
  return { browserSessionId: row.id, entries: await entriesOf(context, row, body) };
};

export const chatSessionBrowserArtifact: Verb<'chatSessionBrowserArtifact'> = async (
  context,
  { sessionId, body },
) => {
  const { row } = await openChatBrowser(context, sessionId);
  const { commandId } = body;
  const blob = await pictureOf(context, row, commandId);
  if (!blob) return { commandId, status: 'not_captured' };
  const url = pictureUrl(context, blob.id);
  return { commandId, status: 'ready', url, mediaType: 'image/png', bytes: blob.size };
};

export const chatSessionBrowserClose: Verb<'chatSessionBrowserClose'> = async (asking, { sessionId }) => {
  const { context, row, chat } = await openChatBrowser(asking, sessionId);
  const browser = presentSessionBrowser(await closeBrowser(context, row));
  return { sessionId: chat.id, chatSessionId: chat.id, projectId: chat.projectId, browser };
};
