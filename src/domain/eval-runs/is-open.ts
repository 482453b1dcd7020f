import type { RunStatus } from '../../platform/database/queries/eval-runs.ts';

/** It has no verdict yet, and may still get one. */
export function isOpen(status: RunStatus): boolean {
  return status === 'pending' || status === 'running' || status === 'grading';
}
