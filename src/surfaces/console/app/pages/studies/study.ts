import { DrydockError } from '../../../../client/index.ts';
import type { Output } from '../../api/index.ts';

/** As a member of its project reads it. */
export type Study = Output<'getStudy'> & { projectId: string };

/** Metrics answer 404 until the first session was analyzed. */
export function isMissing(error: unknown): boolean {
  return error instanceof DrydockError && error.code === 'NOT_FOUND';
}
