import { type Findings, isWaived } from '../../findings/run-findings.ts';
import { exitCodes } from '../exit-codes.ts';

/** What decides, the weightiest first: a failure, then whatever is missing. A waiver covers the verdict, not the gate. */
export function exitCodeOf({ run, gate }: Findings): number {
  const { verdict } = run.decisionSummary;
  if ((verdict === 'failed' && !isWaived(run)) || gate.outcome === 'failed') return exitCodes.failed;
  const decided = verdict === 'passed' || verdict === 'failed';
  return decided && gate.outcome !== 'non_gateable' ? exitCodes.passed : exitCodes.incomplete;
}
