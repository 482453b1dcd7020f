import * as sessions from '../../platform/database/queries/study-sessions.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import { conflict } from '../base/refusals.ts';
import type { Services } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';

/** Milliseconds to decide; a timeout counts as declined. */
export const approvalTimeout = 120_000;
/** Poll interval in milliseconds, in case an announcement is lost. */
const pollInterval = 2_000;

interface Asked {
  turnId: string;
  toolCallId: string;
  sessionId: string;
}

/** Waits for the visitor's decision on a tool call, made on any replica. */
export async function askVisitor(
  { db, notifications }: Pick<Services, 'db' | 'notifications'>,
  call: Asked,
  asked: () => void,
  signal: AbortSignal,
): Promise<boolean> {
  await db.run(sessions.askApproval, call);
  const over = AbortSignal.any([signal, timeoutSignal(approvalTimeout)]);
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
      const timer = setTimeout(() => wake(), pollInterval);
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
    throw conflict('This approval is no longer pending', 'NOT_WAITING');
  return { toolCallId, approved };
};
