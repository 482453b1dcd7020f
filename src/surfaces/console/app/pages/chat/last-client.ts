import { keepIn, keptIn } from '../../kit/kept.ts';

/** Each turn specifies its client, so this tab remembers the last one. */
const place = (sessionId: string): string => `drydock-chat-client-${sessionId}`;

export function lastClient(sessionId: string): string {
  return keptIn('sessionStorage', place(sessionId)) ?? '';
}

export function rememberClient(sessionId: string, hostId: string | undefined): void {
  keepIn('sessionStorage', place(sessionId), hostId);
}
