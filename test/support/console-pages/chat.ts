import type { Console } from '../console.ts';
import type { PageOfConsole } from './index.ts';

export async function chatPages({ projectId, serverId, api }: Console): Promise<PageOfConsole[]> {
  // Under the same key it is the same chat, however often the pages are asked for.
  const body = {
    idempotencyKey: 'pages of the console',
    projectId,
    serverIds: [serverId],
    modelId: 'drydock/rehearsal',
    message: 'Which ships are in the drydock?',
  };
  const { sessionId, turnId } = await api.sendChatMessage({ body });
  const at = `/console/projects/${projectId}/sessions`;
  return [
    ['chats', at, 'table'],
    ['chat-new', `${at}/new`, 'text=Not a language model'],
    ['chat-browser', `${at}/${sessionId}?browser=true`, 'text=No browser open'],
    ['chat', `${at}/${sessionId}?turn=${turnId}`, '[role=group] button'],
  ];
}
