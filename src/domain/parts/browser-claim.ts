import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { newId } from '../../platform/ids.ts';
import { closedBrowser, noBrowser } from './browser-refusals.ts';

/** Running browsers per person, over all projects. */
const maxAwake = 2;

const processGone = 'the service stopped while it was open';

export type Claim =
  | { kind: 'claimed'; row: rows.BrowserRow; woken: boolean }
  /** The browser `id` must be released first: the wanted one by another process, or an idle one of the same person. */
  | { kind: 'taken'; id: string }
  /** This process should hold the browser, but does not. */
  | { kind: 'lost' };

/** Closes browsers whose process has died, before other decisions about them. */
export async function closeLost(db: Db, userId: string): Promise<void> {
  await db.run(rows.closeLost, { userId, reason: processGone });
}

/** Claims a sleeping browser for this process, unless its owner has too many running. */
export async function claimBrowser(
  db: Db,
  { id, userId }: Pick<rows.BrowserRow, 'id' | 'userId'>,
  holderId: string,
): Promise<Claim> {
  await closeLost(db, userId);
  return db.transaction(async (trx) => {
    await trx.row(rows.lockOpening, { userId });
    const row = await trx.row(rows.lock, { id });
    if (!row) throw noBrowser();
    if (row.state === 'closed') throw closedBrowser(row);
    if (row.state === 'active') return row.holderId === holderId ? { kind: 'lost' } : { kind: 'taken', id };
    const awake = await trx.rows(rows.awake, { userId });
    if (awake.length >= maxAwake) {
      const idle = awake.find(({ busy }) => !busy);
      if (!idle) throw allBusy(awake.map((one) => one.id));
      return { kind: 'taken', id: idle.id };
    }
    const claimed = await trx.one(rows.activate, { id, holderId, bootId: newId('boot') });
    return { kind: 'claimed', row: claimed, woken: row.bootId !== null };
  });
}

function allBusy(sessionIds: string[]): Refusal {
  return new Refusal(
    'RATE_LIMITED',
    `You have reached the limit of ${maxAwake} active browsers: ${sessionIds.join(' and ')}. Wait for their commands, or close one`,
    { details: { reason: 'BROWSERS_BUSY', sessionIds }, retryAfter: 2 },
  );
}
