import type { Findings } from '../../findings/run-findings.ts';
import { conclusionOf } from '../../findings/run-report.ts';
import { exitCodes } from '../exit-codes.ts';

const codes = {
  passed: exitCodes.passed,
  failed: exitCodes.failed,
  undecided: exitCodes.incomplete,
} as const;

export function exitCodeOf(findings: Findings): number {
  return codes[conclusionOf(findings).outcome];
}
