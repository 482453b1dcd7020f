import { createHash } from 'node:crypto';
import type { ingestEvalRunIterations, startEvalIngestRun } from '../../contract/eval-ingest.ts';
import type { InputOf } from '../../contract/operation.ts';
import { canonicalJson } from '../../platform/canonical.ts';

export type Header = InputOf<typeof startEvalIngestRun>['body'];
export type Result = InputOf<typeof ingestEvalRunIterations>['body']['results'][number];

/** Distinguishes a repeated request from a different one, ignoring key order. */
export function hashOf(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** Idempotency key of a run with an external ID. */
export function keyOf({ externalRunId }: Pick<Header, 'externalRunId'>): string | null {
  return typeof externalRunId === 'string' ? `external ${externalRunId}` : null;
}
