import type { CheckType } from '../../../src/contract/eval-checks.ts';
import type { TrialEvidence } from '../../../src/evaluation/evidence.ts';
import { evidence } from '../evidence.ts';

/** A check, what it looks at, and what it should find. */
export interface CheckExample {
  check: { type: CheckType } & Record<string, unknown>;
  evidence: TrialEvidence;
  outcome: 'passed' | 'failed' | 'error';
  /** A part of the reason. */
  says?: string | undefined;
}

/** Examples of one kind: each is its parameters, what happened, and what follows, with a part of the reason. */
export function examples(
  type: CheckType,
  ...rows: [
    parameters: Record<string, unknown>,
    happened: Partial<TrialEvidence>,
    outcome: CheckExample['outcome'],
    says?: string,
  ][]
): CheckExample[] {
  return rows.map(([parameters, happened, outcome, says]) => ({
    check: { type, ...parameters },
    evidence: evidence(happened),
    outcome,
    says,
  }));
}
