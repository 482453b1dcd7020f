import type { Check, CheckType } from '../../../contract/eval-checks.ts';
import type { TrialEvidence } from '../../evidence.ts';
import type { Stage } from '../../stages/stage.ts';

/** What a check found. `error`: what it would have to look at is missing, so it says neither. */
export interface Finding {
  outcome: 'passed' | 'failed' | 'error';
  reason: string;
}

export function passed(reason: string): Finding {
  return { outcome: 'passed', reason };
}

export function failed(reason: string): Finding {
  return { outcome: 'failed', reason };
}

export function missing(reason: string): Finding {
  return { outcome: 'error', reason };
}

/** Something in a check that no schema sees. */
export interface AuthoringProblem {
  path: string[];
  message: string;
}

type CheckOf<Type extends CheckType> = Extract<Check, { type: Type }>;

/** A kind of check. */
export interface CheckKind<Type extends CheckType> {
  type: Type;
  /** Where its failure is filed. */
  stage: Stage;
  /** Whether it can be asked about one turn. */
  turnScopable: boolean;
  evaluate(check: CheckOf<Type>, evidence: TrialEvidence): Finding;
  /** What has to be said to its author before it is stored. */
  problem?(check: CheckOf<Type>): AuthoringProblem | undefined;
  /** Whether its failure may only mean that the trial was cut short before it could be fulfilled. Left out: never. */
  failsByAbsence?(check: CheckOf<Type>, evidence: TrialEvidence): boolean;
}
