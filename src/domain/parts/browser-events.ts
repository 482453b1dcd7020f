import type { Db } from '../../platform/database/database.ts';
import * as entries from '../../platform/database/queries/browser-entries.ts';

/** Null values for the columns that only commands use. */
export const emptyEntry = {
  commandId: null,
  payloadHash: null,
  command: null,
  bootId: null,
  tabId: null,
  turnId: null,
  toolCallId: null,
  toolName: null,
};

/** Records a change of the browser that no command caused. */
export async function addEvent(
  db: Db,
  sessionId: string,
  outcome: {
    event: 'opened' | 'slept' | 'woken' | 'closed';
    bootId?: string;
    tabCount?: number;
    reason?: string;
  },
): Promise<void> {
  await db.transaction(async (trx) => {
    const place = await trx.row(entries.nextPlace, { sessionId });
    if (!place) return;
    const { bootId = null } = outcome;
    await trx.run(entries.insert, {
      ...emptyEntry,
      sessionId,
      seq: place.seq,
      kind: 'event',
      outcome,
      state: 'done',
      bootId,
    });
  });
}
