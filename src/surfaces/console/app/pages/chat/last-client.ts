import { readStorage, writeStorage } from '../../kit/web-storage.ts';

/** Each turn specifies its client, so this tab remembers the last one. */
const storageKeyOf = (sessionId: string): string => `drydock-chat-client-${sessionId}`;

export function lastClient(sessionId: string): string {
  return readStorage('sessionStorage', storageKeyOf(sessionId)) ?? '';
}

export function rememberClient(sessionId: string, hostId: string | undefined): void {
  writeStorage('sessionStorage', storageKeyOf(sessionId), hostId);
}
