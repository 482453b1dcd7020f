import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as contents from '../../platform/database/queries/project-contents.ts';
import { type Account, type Enqueued, enqueue, enqueueAll } from '../../platform/jobs/queue.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Services } from '../context.ts';
import { endEarly } from '../eval-runs/execute/end-early.ts';

const kind = 'remove-project-content';

/** Milliseconds a batch should take: others wait for the rows and the disk meanwhile. */
const longBatch = 200;
const firstBatch = 100;
const largestBatch = 5_000;

/** What a deleted project leaves behind goes in batches, children first and the row last. */
export function projectJobs(services: Pick<Services, 'db' | 'vault' | 'clock'>): JobKind[] {
  const { db } = services;
  return [
    {
      kind,
      // One large project at a time, so that the others find free slots.
      concurrency: 1,
      handle: async (payload, signal) => {
        const { projectId } = payload as { projectId: string };
        if (!(await db.row(contents.deleted, { projectId }))) return undefined;
        await endRuns(services, projectId, signal);
        for (const step of contents.steps)
          await removeInBatches((most) => db.run(step, { projectId, most }), signal);
        return async (trx) => void (await trx.run(contents.remove, { projectId }));
      },
    },
    {
      kind: 'find-deleted-projects',
      every: 3_600_000,
      // Those whose job was given up.
      handle: async () => async (trx) => {
        const left = await trx.rows(contents.deleted, { projectId: null });
        const removals = left.map(({ id }) => removal(id));
        await enqueueAll(trx, removals);
      },
    },
  ];
}

/** Trials under way are told to stop, and what they have cost so far is booked. */
async function endRuns(
  services: Pick<Services, 'db' | 'vault' | 'clock'>,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = services;
  for (;;) {
    signal.throwIfAborted();
    const open = await db.rows(runs.openOfProject, { projectId });
    if (open.length === 0) return;
    const end = { status: 'cancelled', stopReason: 'project_deleted' } as const;
    for (const { id } of open) await db.transaction((trx) => endEarly(services, trx, id, end));
  }
}

/** In the transaction that deletes the project. */
export async function removeContentLater(db: Db, projectId: string, onBehalfOf: Account): Promise<void> {
  const { kind, payload, ...options } = removal(projectId);
  await enqueue(db, kind, payload, { ...options, onBehalfOf });
}

function removal(projectId: string): Enqueued {
  return { kind, payload: { projectId }, uniqueKey: projectId };
}

/** Each batch is a transaction of its own: after a crash the rest is found and removed. */
export async function removeInBatches(
  remove: (most: number) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  let most = firstBatch;
  for (;;) {
    signal.throwIfAborted();
    const began = performance.now();
    if ((await remove(most)) === 0) return;
    const took = performance.now() - began;
    if (took > longBatch) most = Math.max(1, Math.floor(most / 2));
    else if (took < longBatch / 4) most = Math.min(2 * most, largestBatch);
  }
}
