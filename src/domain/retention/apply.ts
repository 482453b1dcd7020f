import type { Db } from '../../platform/database/database.ts';
import {
  dropPart,
  falseIfDropped,
  isEmpty,
  isHeld,
  type Part,
  partitioned,
  partsOf,
  startOfMonth,
} from '../../platform/database/partitions.ts';
import * as retention from '../../platform/database/queries/retention.ts';
import { startOfIds, timeOfId } from '../../platform/ids.ts';
import { inBatches } from '../base/removal.ts';
import type { Services } from '../context/context.ts';

const day = 86_400_000;

/** Fixed retention, not configurable. */
const fixed = [
  { tables: ['webhook_deliveries'], days: 30 },
  { tables: ['server_check_results'], days: 90 },
];

const tablesOf: Record<retention.RetentionKind, string[]> = {
  audit: ['audit_events'],
  traces: ['eval_run_events', 'eval_traces'],
  usage: ['model_calls', 'ledger_entries'],
  runs: [],
};
/** Tables whose rows are still written while a run is open, even rows in old partitions. */
const ofRuns = new Set(tablesOf.traces);

export interface Removed {
  /** Dropped partitions of whole months. */
  parts: string[];
  /** Rows deleted individually, and runs with their contents, by kind. */
  rows: Record<retention.RetentionKind, number>;
}

/**
 * Deletes expired data: drops whole monthly partitions where all organizations agree, otherwise deletes rows per
 * organization in batches. Then drops empty months.
 */
export async function applyRetention(
  services: Pick<Services, 'db' | 'clock'>,
  signal: AbortSignal,
): Promise<Removed> {
  const { db, clock } = services;
  const removed: Removed = { parts: [], rows: { audit: 0, traces: 0, runs: 0, usage: 0 } };
  const now = clock();
  for (const { tables, days } of await agreed(db))
    for (const part of await partsBefore(db, tables, now - days * day)) {
      signal.throwIfAborted();
      const gone = await falseIfDropped(async () => {
        if (await isHeld(db, part)) return false;
        if (part.table === 'eval_traces')
          await inBatches((most) => db.run(retention.removeBlobsOf(part, most)), signal);
        await dropPart(db, part);
        return true;
      });
      if (gone) removed.parts.push(part.name);
    }
  for (const limit of await db.rows(retention.list, { organizationId: null }))
    removed.rows[limit.kind] += await removeRows(db, limit, now, signal);
  // One month late, in case a process with a slow clock still writes there.
  const everything = partitioned.map(({ table }) => table);
  for (const part of await partsBefore(db, everything, startOfMonth(now, -1)))
    if (await falseIfDropped(() => isEmpty(db, part))) {
      await dropPart(db, part);
      removed.parts.push(part.name);
    }
  return removed;
}

/** Tables for which every organization's retention is at most this many days. */
async function agreed(db: Db): Promise<{ tables: string[]; days: number }[]> {
  const found = [...fixed];
  for (const kind of retention.retentionKinds) {
    const { days } = await db.one(retention.longest, { kind });
    if (days !== null) found.push({ tables: tablesOf[kind], days });
  }
  return found;
}

/** Partitions whose rows were all created before `time`. */
async function partsBefore(db: Db, tables: string[], time: number): Promise<Part[]> {
  const open = await oldestOpen(db, null);
  const parts = await partsOf(db);
  return partitioned
    .filter(({ table }) => tables.includes(table))
    .flatMap(({ table, startOf }) => {
      const until = startOf(ofRuns.has(table) ? Math.min(time, open) : time);
      return parts.filter((part) => part.table === table && part.end <= until);
    });
}

/** Creation time of the oldest open run. */
async function oldestOpen(db: Db, organizationId: string | null): Promise<number> {
  const { id } = await db.one(retention.oldestOpen, { organizationId });
  return id === null ? Number.POSITIVE_INFINITY : timeOfId(id);
}

/** Deletes expired rows of one organization; returns the number of rows or runs. */
async function removeRows(
  db: Db,
  { organizationId, kind, days, doneUntil }: retention.RetentionRow,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  const until = now - days * day;
  const idsBefore = (prefix: string) => ({ organizationId, before: startOfIds(prefix, until) });
  const rowsOf = (
    step: typeof retention.removeAudit,
    values: { organizationId: string; before: string },
  ): Promise<number> => inBatches((most) => db.run(step, { ...values, most }), signal);
  switch (kind) {
    case 'audit':
      return rowsOf(retention.removeAudit, idsBefore('aud'));
    case 'usage': {
      // Keeps the accounting period in which the retention ends whole.
      const before = new Date(until).toISOString().slice(0, 7);
      return (
        (await rowsOf(retention.removeModelCalls, idsBefore('call'))) +
        (await rowsOf(retention.removeLedger, { organizationId, before }))
      );
    }
    case 'runs': {
      const ofKind = (prefix: string) => ({ ...idsBefore(prefix), after: '' });
      return (
        (await eachRun(db, retention.oldSettledRuns, ofKind('run'), retention.runSteps, signal)) +
        (await eachRun(db, retention.oldJourneyRuns, ofKind('jrun'), retention.journeyRunSteps, signal))
      );
    }
    case 'traces': {
      const end = Math.min(until, await oldestOpen(db, organizationId));
      const span = {
        organizationId,
        after: doneUntil === null ? '' : startOfIds('run', doneUntil),
        before: startOfIds('run', end),
      };
      const count = await eachRun(db, retention.oldRuns, span, retention.traceSteps, signal);
      await db.run(retention.done, { organizationId, kind, doneUntil: end });
      return count;
    }
  }
}

const runsAtOnce = 100;

/** Processes runs, oldest first; returns their number. */
async function eachRun(
  db: Db,
  runs: typeof retention.oldRuns,
  span: { organizationId: string; after: string; before: string },
  steps: typeof retention.runSteps,
  signal: AbortSignal,
): Promise<number> {
  let { after } = span;
  for (let count = 0; ; ) {
    const found = await db.rows(runs, { ...span, after, most: runsAtOnce });
    for (const { id } of found)
      for (const step of steps) await inBatches((most) => db.run(step, { id, most }), signal);
    count += found.length;
    after = found.at(-1)?.id ?? after;
    if (found.length < runsAtOnce) return count;
  }
}
