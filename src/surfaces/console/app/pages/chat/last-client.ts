import { keepIn, keptIn } from '../../kit/kept.ts';

/** Each turn says anew which client it speaks as; this tab remembers what the last one said. */
const place = (sessionId: string): string => `drydock-chat-client-${sessionId}`;

export function lastClient(sessionId: string): string {
  return keptIn('sessionStorage', place(sessionId)) ?? '';
}

export function rememberClient(sessionId: string, hostId: string | undefined): void {
  keepIn('sessionStorage', place(sessionId), hostId);
}
