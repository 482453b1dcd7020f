import { createHash } from 'node:crypto';
import type { ingestEvalRunIterations, startEvalIngestRun } from '../../contract/eval-ingest.ts';
import type { InputOf } from '../../contract/operation.ts';
import { canonicalJson } from '../../platform/canonical.ts';

export type Header = InputOf<typeof startEvalIngestRun>['body'];
export type Result = InputOf<typeof ingestEvalRunIterations>['body']['results'][number];

/** Tells whether something is sent again or is something else, whatever the order of its keys. */
export function hashOf(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** What a run is recognized by that is known elsewhere by this name. */
export function keyOf({ externalRunId }: Pick<Header, 'externalRunId'>): string | null {
  return typeof externalRunId === 'string' ? `external ${externalRunId}` : null;
}
