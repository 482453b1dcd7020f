import type * as runs from '../../platform/database/queries/eval-runs.ts';
import { isOpen } from './is-open.ts';

/**
 * Totals over the ended trials, or over all trials once the run is over. The pass rate is omitted if some trials were
 * not carried out.
 */
export function presentSummary({ status, trials, finished, passed, failed }: runs.RunRow): {
  total: number;
  passed: number;
  failed: number;
  notRun?: number;
  passRate?: number;
} | null {
  const notRun = isOpen(status) ? 0 : trials - finished;
  if (notRun > 0) return { total: trials, passed, failed, notRun };
  if (finished === 0) return null;
  return { total: finished, passed, failed, passRate: passed / finished };
}
