import type { RunStatus } from '../../platform/database/queries/eval-runs.ts';

/** A run is open until it has a verdict or can no longer get one. */
export function isOpen(status: RunStatus): boolean {
  return status === 'pending' || status === 'running' || status === 'grading';
}
