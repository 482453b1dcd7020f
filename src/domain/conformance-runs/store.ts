import { createHash } from 'node:crypto';
import { countsOf, outcomeOfSuite, profileOf, type SuiteReport, scoreOf } from '../../conformance/report.ts';
import { canonicalJson } from '../../platform/canonical.ts';
import type { Db } from '../../platform/database/database.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';

import { storableJson } from '../../platform/json/storable.ts';

import { type StoredTrace, storeTrace } from '../artifacts/traces.ts';
import { conflict, invalid } from '../base/refusals.ts';
import type { Services } from '../context/context.ts';
import { type ConformanceRun, isOpen } from './find.ts';

export interface Reported {
  suiteKind: runs.SuiteKind;
  report: SuiteReport;
  durationMs?: number | null | undefined;
}

/** A report with its text stored; no row refers to the blob yet. */
export interface Prepared extends Reported {
  contentHash: string;
  text: StoredTrace | undefined;
}

/** Called before the transaction, since it compresses and writes files. */
export async function prepareReport(
  services: Pick<Services, 'blobs' | 'db' | 'clock'>,
  owner: { organizationId: string; projectId: string },
  reported: Reported,
): Promise<Prepared> {
  const contentHash = createHash('sha256').update(canonicalJson(reported.report)).digest('hex');
  const text = await storeTrace(services, owner, storableJson(reported.report));
  return { ...reported, contentHash, text };
}

export interface Added {
  row: Pick<runs.ReportRow, 'outcome' | 'score'>;
  /** Whether the report existed already. */
  known: boolean;
}

/**
 * Adds a report to a run the caller has locked. An identical report is a no-op while the run is open; a different one
 * for the same suite, or a report to a run that is over, is a conflict.
 */
export async function addReport(db: Db, run: ConformanceRun, prepared: Prepared): Promise<Added> {
  const { suiteKind, report, contentHash, text } = prepared;
  if (!run.requestedSuites.includes(suiteKind))
    throw invalid(
      `suiteKind: The run was started for ${run.requestedSuites.join(', ')}, not for ${suiteKind}`,
    );
  const there = await db.rows(runs.reportsOf, { runIds: [run.id] });
  const same = there.find((one) => one.suiteKind === suiteKind);
  if (same && same.contentHash !== contentHash)
    throw conflict(
      `The run already has another report of the suite ${suiteKind}. Start a new run for this one`,
      'REPORT_CONFLICT',
      { runId: run.id, suiteKind },
    );
  if (same && isOpen(run)) return { row: same, known: true };
  if (!isOpen(run)) throw isOver(run);
  if (text?.blob) {
    await db.run(blobRows.insert, text.blob);
    await db.run(blobRows.forgetGarbage, { ids: [text.blob.id] });
  }
  const counts = countsOf(report);
  const { passed, failed, skipped, pending } = counts;
  const durationMs = prepared.durationMs ?? report.durationMs;
  const row = { outcome: outcomeOfSuite(report), score: scoreOf(counts) };
  await db.run(runs.insertReport, {
    runId: run.id,
    suiteKind,
    contentHash,
    ...row,
    incompleteReason: report.incompleteReason ?? null,
    profileId: profileOf(report),
    ...counts,
    totalCases: passed + failed + skipped + pending,
    durationMs: durationMs == null ? null : Math.round(durationMs),
    body: text?.body ?? null,
    blobId: text?.blob?.id ?? null,
  });
  await db.run(runs.recordHeartbeat, { id: run.id });
  return { row, known: false };
}

export function isOver({ id, status }: Pick<ConformanceRun, 'id' | 'status'>) {
  return conflict(`The run ${id} is ${status}. Nothing can be added to it. Start a new run`, 'RUN_IS_OVER', {
    runId: id,
    status,
  });
}
