import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { type SessionInsights, sessionFindings } from '../../evaluation/index.ts';
import type { SessionsContent } from './sessions.ts';
import type { InsightsRow } from './source.ts';

export type Envelope = NonNullable<OutputOf<Operations['getEvalRun']>['insights']>;
type Body = Pick<Envelope, 'summary' | 'coverage' | 'findings' | 'truncation'>;

/** While new insights are pending, or could not be gathered, the body holds the previous ones. */
export function envelopeOf(
  row: InsightsRow | undefined,
  scope: Envelope['scope'],
  /** Why insights cannot be requested yet. */
  unavailable: string | undefined,
  body: Partial<Envelope> & Body,
): Envelope {
  const status =
    activeRequest(row)?.status ?? (unavailable === undefined ? 'not_requested' : 'not_available');
  const { reasonCode, errorCode = null, errorMessage, generatedAt = null, updatedAt = null } = row ?? {};
  return {
    schemaVersion: 1,
    scope,
    status,
    reasonCode: status === 'not_available' ? (unavailable ?? null) : (reasonCode ?? errorCode),
    retryable: status === 'failed' || status === 'not_available',
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    generatedAt,
    updatedAt,
    ...body,
  };
}

/** `next` names the period in which the findings should not occur again, like "the next wave". */
export function sessionsBody(
  content: SessionsContent<SessionInsights> | null,
  scopeId: string,
  next: string,
  coverage: Pick<Envelope['coverage'], 'analyzed' | 'total' | 'gradedCount' | 'feedbackCount'>,
): Body & { generatedAt: number | null } {
  const { truncated = false, lowConfidence = true, generatedAt = null, summary = null } = content ?? {};
  return {
    generatedAt,
    summary,
    coverage: { unit: 'sessions', ...coverage, truncated, lowConfidence },
    findings: content ? sessionFindings(scopeId, next, content) : [],
    truncation: { truncated, omittedFindings: 0, omittedEvidence: 0, contractTruncated: false },
  };
}

/** The row of a request, or undefined if the request was canceled. */
export function activeRequest(row: InsightsRow | undefined) {
  return row && row.status !== 'canceled' ? { ...row, status: row.status } : undefined;
}

/** Insights into a wave or window, in the form in which they are stored. */
export function presentSessions({
  status,
  insights,
  discovery,
  errorCode,
  errorMessage,
  updatedAt,
}: NonNullable<ReturnType<typeof activeRequest>>) {
  const open = (value: unknown) => value as Record<string, unknown> | null;
  return {
    status,
    insights: open(insights),
    discovery: open(discovery),
    errorCode,
    errorMessage,
    updatedAt,
  };
}
