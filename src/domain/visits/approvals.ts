import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { timeLimit } from '../../platform/time-limit.ts';
import type { Services } from '../context.ts';
import { conflict } from '../refusals.ts';
import type { Verb } from '../verb.ts';

/** Milliseconds for a decision; none is a no. */
export const patience = 120_000;
/** Looked for this often besides, should an announcement get lost. */
const look = 2_000;

interface Asked {
  turnId: string;
  toolCallId: string;
  sessionId: string;
}

/** Waits until whoever chats says whether a tool may be called, on whichever replica they say it. */
export async function askVisitor(
  { db, notifications }: Pick<Services, 'db' | 'notifications'>,
  call: Asked,
  asked: () => void,
  signal: AbortSignal,
): Promise<boolean> {
  await db.run(sessions.askApproval, call);
  const over = AbortSignal.any([signal, timeLimit(patience)]);
  let wake = (): void => {};
  const stop = notifications.on(sessions.approvalChannel, (id) => {
    if (id === undefined || id === call.turnId) wake();
  });
  const { turnId, toolCallId } = call;
  over.addEventListener('abort', () => wake(), { once: true });
  asked();
  try {
    while (!over.aborted) {
      const said = new Promise<void>((resolve) => (wake = resolve));
      const { approved = null } = (await db.row(sessions.decision, { turnId, toolCallId })) ?? {};
      if (approved !== null) return approved;
      const timer = setTimeout(() => wake(), look);
      await said;
      clearTimeout(timer);
    }
    return false;
  } finally {
    stop();
  }
}

export const decideToolCall: Verb<'decideToolCall'> = async ({ db, grant }, { turnId, body }) => {
  const { toolCallId, approved } = body;
  const visitorId = grant.visitor.id;
  if (!(await db.row(sessions.decide, { turnId, toolCallId, approved, visitorId })))
    throw conflict('Nothing waits for this decision any more', 'NOT_WAITING');
  return { toolCallId, approved };
};
