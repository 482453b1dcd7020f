import { addParts } from '../../platform/database/partitions.ts';
import * as links from '../../platform/database/queries/artifact-links.ts';
import * as attemptLimits from '../../platform/database/queries/attempt-limits.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import * as browserRows from '../../platform/database/queries/browser-sessions.ts';
import * as chatTurns from '../../platform/database/queries/chat-turns.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as consoleLinks from '../../platform/database/queries/console-links.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as backtests from '../../platform/database/queries/eval-backtests.ts';
import * as idempotency from '../../platform/database/queries/idempotency.ts';
import * as jobs from '../../platform/database/queries/jobs.ts';
import * as pauses from '../../platform/database/queries/model-pauses.ts';
import * as replicas from '../../platform/database/queries/replicas.ts';
import * as serverChecks from '../../platform/database/queries/server-checks.ts';
import * as connections from '../../platform/database/queries/server-connections.ts';
import * as slots from '../../platform/database/queries/slot-grants.ts';
import * as reservations from '../../platform/database/queries/spend-reservations.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import * as deliveries from '../../platform/database/queries/webhook-deliveries.ts';
import { forEachConcurrent } from '../../platform/flow/for-each.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Services } from '../context/context.ts';
import { settleLost } from '../model-calls/ledger.ts';
import { applyRetention } from './apply.ts';

const hour = 3_600_000;
/** Files removed concurrently. */
const removers = 8;

/** Deletes expired and unused data. */
export function housekeeping({ db, blobs, clock }: Pick<Services, 'db' | 'blobs' | 'clock'>): JobKind[] {
  return [
    {
      kind: 'prune',
      every: hour,
      handle: async () => async (trx) => {
        await trx.run(idempotency.prune);
        await trx.run(jobs.prune);
        await trx.run(replicas.prune);
        await trx.run(replicas.pruneBuckets);
        await trx.run(clients.pruneConfigs);
        await trx.run(pauses.prune);
        await trx.run(slots.prune);
        await trx.run(backtests.prune);
        await trx.run(sessions.prune);
        await trx.run(consoleLinks.prune);
        await trx.run(attemptLimits.prune);
        await trx.run(visitors.pruneTickets);
        // Turns of abandoned sessions would otherwise stay `running` forever.
        await trx.run(chatTurns.failCutOff, { sessionId: null });
        await trx.run(browserRows.pruneHolders);
        await trx.run(browserRows.pruneClosed);
        await trx.run(deliveries.giveUpOld);
        await trx.run(deliveries.prune);
        await trx.run(serverChecks.prune);
        await trx.run(connections.prune);
      },
    },
    {
      kind: 'settle-lost-model-calls',
      every: 30_000,
      when: async () => (await db.row(reservations.expired)) !== undefined,
      handle: () => settleLost(db),
    },
    {
      kind: 'add-parts',
      every: 24 * hour,
      handle: async () => void (await addParts(db, clock())),
    },
    {
      kind: 'retention',
      every: 6 * hour,
      concurrency: 1,
      handle: async (_payload, signal) => void (await applyRetention({ db, clock }, signal)),
    },
    {
      kind: 'remove-unused-artifacts',
      every: hour,
      handle: async (_payload, signal) => {
        while ((await db.rows(blobRows.removeUnused)).length > 0) signal.throwIfAborted();
        await db.run(links.prune);
      },
    },
    {
      kind: 'sweep-blobs',
      every: hour,
      // Repeats until nothing is left: a large project leaves more than one batch.
      handle: async (_payload, signal) => {
        const next = () => db.rows(blobRows.garbage);
        for (let batch = await next(); batch.length > 0; batch = await next()) {
          await forEachConcurrent(batch, removers, signal, ({ id }) => blobs.remove(id));
          await db.run(blobRows.forgetGarbage, { ids: batch.map(({ id }) => id) });
          signal.throwIfAborted();
        }
      },
    },
  ];
}
