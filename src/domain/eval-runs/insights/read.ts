import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import type { Finding } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as insights from '../../../platform/database/queries/eval-insights.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { isOpen } from '../is-open.ts';

type Envelope = NonNullable<OutputOf<Operations['getEvalRun']>['insights']>;

/** What was found out, as it is stored. */
export type InsightsContent = Pick<Envelope, 'summary' | 'coverage' | 'runHealth' | 'truncation'> & {
  findings: Finding[];
};

/** While others are on their way, or could not be had, the last ones are shown. */
export async function insightsOf(db: Db, run: RunRow): Promise<Envelope> {
  const row = await db.row(insights.find, { runId: run.id });
  const status = row?.status ?? (isOpen(run.status) ? 'not_available' : 'not_requested');
  return {
    schemaVersion: 1,
    scope: { kind: 'eval_run', id: run.id, runId: run.id },
    status,
    reasonCode: row?.reasonCode ?? (status === 'not_available' ? 'run_not_over' : null),
    retryable: status === 'failed' || status === 'not_available',
    error: (row?.error ?? null) as Envelope['error'],
    generatedAt: row?.generatedAt ?? null,
    updatedAt: row?.updatedAt ?? null,
    ...((row?.content as InsightsContent | null | undefined) ?? nothing(run)),
  };
}

function nothing({ trials }: RunRow): InsightsContent {
  return {
    summary: null,
    coverage: { unit: 'iterations', analyzed: 0, total: trials, truncated: false, lowConfidence: true },
    findings: [],
    truncation: { truncated: false, omittedFindings: 0, omittedEvidence: 0, contractTruncated: false },
  };
}
