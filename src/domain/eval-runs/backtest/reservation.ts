import { createHash } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import { sortKeys } from '../../../platform/canonical.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as backtests from '../../../platform/database/queries/eval-backtests.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { newId } from '../../../platform/ids.ts';

import { storableJson } from '../../../platform/json/storable.ts';

import { conflict, invalid } from '../../base/refusals.ts';
import { writeInProject } from '../../context/access.ts';
import { audit } from '../../context/audit.ts';
import type { ProjectContext } from '../../context/context.ts';

type Kind = 'judge' | 'checks';

/** A draft being tested against a run, page by page. */
export interface BacktestSession {
  id: string;
  sourceHash: string;
  draftHash: string;
  /** Start of the requested page: a trial's position in the run (checks), or an offset among the trials to judge. */
  cursor: number;
}

interface Continued {
  reservationId: string;
  sourceHash: string;
  draftHash?: string | undefined;
  cursor: number;
}

interface Begin {
  kind: Kind;
  draft: unknown;
  continued: Continued | undefined;
  /** Called once for a new draft, in the transaction that reserves it; throws to refuse (rate limit, budget). */
  admit: (db: Db) => Promise<void>;
}

/** Creates a reservation, or continues an existing one if the draft and the recorded data are unchanged. */
export async function reserve(
  context: ProjectContext,
  run: RunRow,
  { kind, draft, continued, admit }: Begin,
): Promise<BacktestSession> {
  const draftHash = createHash('sha256')
    .update(JSON.stringify(sortKeys(draft)))
    .digest('hex');
  const { hash: sourceHash } = await context.db.one(backtests.sourceHash, { runId: run.id });
  if (continued) {
    const { reservationId: id, cursor } = continued;
    const known = await context.db.row(backtests.find, { id, runId: run.id, kind });
    if (!known) throw conflict('This backtest no longer exists. Start again', 'RESERVATION_GONE');
    if (known.draftHash !== draftHash || (continued.draftHash ?? draftHash) !== draftHash)
      throw conflict('The draft has changed. Start again', 'DRAFT_CHANGED');
    if (known.sourceHash !== sourceHash || continued.sourceHash !== sourceHash)
      throw conflict('The recorded evidence has changed. Start again', 'EVIDENCE_CHANGED');
    if (!(await context.db.one(backtests.follows, { id, cursor })).follows)
      throw invalid('continuation.cursor: Not a cursor of this run');
    return { id, sourceHash, draftHash, cursor };
  }
  const id = newId('btt', context.clock());
  await writeInProject(context, async (db) => {
    // The lock serializes drafts of one run, so that the time of the last one is known.
    await db.row(runs.lock, { id: run.id });
    await admit(db);
    await db.run(backtests.insert, { id, runId: run.id, kind, draftHash, sourceHash });
    await audit(db, context, `eval-run.backtest-${kind}`, run.id);
  });
  return { id, sourceHash, draftHash, cursor: 0 };
}

/** Returns the stored page, or computes it. Concurrent requests for the same page get the same response. */
export async function pageOf<Page>(
  { db }: ProjectContext,
  { id, cursor }: BacktestSession,
  make: () => Promise<{ page: Page; next: number | null }>,
): Promise<Page> {
  const answered = await db.row(backtests.page, { id, cursor });
  if (answered) return answered.body as Page;
  const { page, next } = await make();
  await db.run(backtests.keepPage, { id, cursor, next, body: storableJson(page) });
  const kept = await db.row(backtests.page, { id, cursor });
  return kept ? (kept.body as Page) : page;
}

/** Rate limit: refuses a draft that comes too soon after the previous one. */
export async function enforceCooldown(db: Db, runId: string, kind: Kind, seconds: number): Promise<void> {
  const last = await db.row(backtests.lastAge, { runId, kind });
  if (!last || last.seconds >= seconds) return;
  const retryAfter = Math.max(1, Math.ceil(seconds - last.seconds));
  throw new Refusal('RATE_LIMITED', `A new draft can be tried on this run in ${retryAfter} s`, {
    details: { reason: 'BACKTEST_COOLDOWN', retryAfterMs: retryAfter * 1000 },
    retryAfter,
  });
}
