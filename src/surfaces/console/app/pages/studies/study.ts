import { DrydockError } from '../../../../client/index.ts';
import type { Output } from '../../api/index.ts';

/** A study as project members see it. */
export type Study = Output<'getStudy'> & { projectId: string };

/** Metrics return 404 until the first session is analyzed. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DrydockError && error.code === 'NOT_FOUND';
}
