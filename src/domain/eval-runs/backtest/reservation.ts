import { createHash } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import { sortKeys } from '../../../platform/canonical.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as backtests from '../../../platform/database/queries/eval-backtests.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { newId } from '../../../platform/ids.ts';
import { writeInProject } from '../../access.ts';
import { audit } from '../../audit.ts';
import type { ProjectContext } from '../../context.ts';
import { invalid } from '../../invalid.ts';
import { conflict } from '../../refusals.ts';
import { storableJson } from '../../storable.ts';

type Kind = 'judge' | 'checks';

/** A draft that is tried on a run, page by page. */
export interface Reservation {
  id: string;
  sourceHash: string;
  draftHash: string;
  /** Where the page begins that is asked for. */
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
  /** What a new draft takes; may refuse it. */
  admit: (db: Db) => Promise<void>;
}

/** A new reservation, or the one that is gone on with, if the draft and what was recorded are still the same. */
export async function reserve(
  context: ProjectContext,
  run: RunRow,
  { kind, draft, continued, admit }: Begin,
): Promise<Reservation> {
  const draftHash = createHash('sha256')
    .update(JSON.stringify(sortKeys(draft)))
    .digest('hex');
  const { hash: sourceHash } = await context.db.one(backtests.sourceHash, { runId: run.id });
  if (continued) {
    const { reservationId: id, cursor } = continued;
    const known = await context.db.row(backtests.find, { id, runId: run.id, kind });
    if (!known) throw conflict('This draft is no longer being tried. Begin again', 'RESERVATION_GONE');
    if (known.draftHash !== draftHash || (continued.draftHash ?? draftHash) !== draftHash)
      throw conflict('The draft is another one. Begin again with it', 'DRAFT_CHANGED');
    if (known.sourceHash !== sourceHash || continued.sourceHash !== sourceHash)
      throw conflict('What was recorded is no longer the same. Begin again', 'EVIDENCE_CHANGED');
    if (!(await context.db.one(backtests.follows, { id, cursor })).follows)
      throw invalid('continuation.cursor: Not a cursor of this run');
    return { id, sourceHash, draftHash, cursor };
  }
  const id = newId('btt', context.clock());
  await writeInProject(context, async (db) => {
    // One after the other, so that what was begun last is known.
    await db.row(runs.lock, { id: run.id });
    await admit(db);
    await db.run(backtests.insert, { id, runId: run.id, kind, draftHash, sourceHash });
    await audit(db, context, `eval-run.backtest-${kind}`, run.id);
  });
  return { id, sourceHash, draftHash, cursor: 0 };
}

/** The page as it was answered, or as it is made now; who asks for one at the same time is answered the same. */
export async function pageOf<Page>(
  { db }: ProjectContext,
  { id, cursor }: Reservation,
  make: () => Promise<{ page: Page; next: number | null }>,
): Promise<Page> {
  const answered = await db.row(backtests.page, { id, cursor });
  if (answered) return answered.body as Page;
  const { page, next } = await make();
  await db.run(backtests.keepPage, { id, cursor, next, body: storableJson(page) });
  const kept = await db.row(backtests.page, { id, cursor });
  return kept ? (kept.body as Page) : page;
}

/** Refuses a draft that comes too soon after the last. */
export async function refuseSoon(db: Db, runId: string, kind: Kind, seconds: number): Promise<void> {
  const last = await db.row(backtests.lastAge, { runId, kind });
  if (!last || last.seconds >= seconds) return;
  const retryAfter = Math.max(1, Math.ceil(seconds - last.seconds));
  throw new Refusal('RATE_LIMITED', `A new draft can be tried on this run in ${retryAfter} s`, {
    details: { reason: 'BACKTEST_COOLDOWN', retryAfterMs: retryAfter * 1000 },
    retryAfter,
  });
}
