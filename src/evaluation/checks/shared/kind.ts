import type { Check, CheckType } from '../../../contract/eval-checks.ts';
import type { TrialEvidence } from '../../evidence.ts';
import type { Stage } from '../../stage.ts';

/** The finding of a check. `error`: the required evidence is missing, so it neither passes nor fails. */
export interface CheckFinding {
  outcome: 'passed' | 'failed' | 'error';
  reason: string;
}

export function passed(reason: string): CheckFinding {
  return { outcome: 'passed', reason };
}

export function failed(reason: string): CheckFinding {
  return { outcome: 'failed', reason };
}

export function missing(reason: string): CheckFinding {
  return { outcome: 'error', reason };
}

/** The first failure, else the first missing evidence, else a pass. */
export function firstBad(findings: readonly CheckFinding[], good: string): CheckFinding {
  return (
    findings.find(({ outcome }) => outcome === 'failed') ??
    findings.find(({ outcome }) => outcome === 'error') ??
    passed(good)
  );
}

export interface AuthoringProblem {
  path: string[];
  message: string;
}

type CheckOf<Type extends CheckType> = Extract<Check, { type: Type }>;

export interface CheckKind<Type extends CheckType> {
  type: Type;
  /** The stage to which a failure is attributed. */
  stage: Stage;
  /** Whether the check can be limited to one turn. */
  turnScopable: boolean;
  evaluate(check: CheckOf<Type>, evidence: TrialEvidence): CheckFinding;
  /** A problem to report to the author before the check is stored. */
  problem?(check: CheckOf<Type>): AuthoringProblem | undefined;
  /** Whether a failure may be due only to a trial that was cut short. Default: never. */
  failsByAbsence?(check: CheckOf<Type>, evidence: TrialEvidence): boolean;
}
