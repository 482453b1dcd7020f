import type { TurnScope } from '../checks/evaluate.ts';
import { cut } from '../text/show.ts';
import type { HashedDefinition } from './definition.ts';

/** One measurement of a trial. */
export interface Score {
  scorerId: string;
  scorerVersion: string;
  definitionHash: string;
  status: 'scored' | 'error' | 'skipped' | 'not_applicable';
  /** Only when scored. */
  value?: number;
  passThreshold: number;
  passed?: boolean;
  rationale?: string;
  evidence?: string[];
  deterministic: boolean;
  model?: string;
  promptHash?: string;
  error?: string;
  scope?: TurnScope;
}

const maxRationale = 2000;
const maxError = 500;
const maxEvidence = 20;
const maxEvidenceText = 300;

/** A value outside 0 to 1 is an error of the scorer; it is not clamped. */
export function scored(
  hashed: HashedDefinition,
  value: unknown,
  rationale: string,
  evidence: readonly string[] = [],
): Score {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1))
    return notScored(hashed, 'error', 'The scorer did not return a number from 0 to 1');
  return {
    ...headOf(hashed),
    status: 'scored',
    value,
    passed: value >= hashed.definition.passThreshold,
    rationale: cut(rationale, maxRationale),
    ...(evidence.length > 0 && {
      evidence: evidence.slice(0, maxEvidence).map((text) => cut(text, maxEvidenceText)),
    }),
  };
}

export function notScored(
  hashed: HashedDefinition,
  status: 'error' | 'skipped' | 'not_applicable',
  why: string,
): Score {
  return {
    ...headOf(hashed),
    status,
    ...(status === 'error' ? { error: cut(why, maxError) } : { rationale: cut(why, maxRationale) }),
  };
}

function headOf({
  definition,
  hash,
}: HashedDefinition): Pick<
  Score,
  'scorerId' | 'scorerVersion' | 'definitionHash' | 'passThreshold' | 'deterministic' | 'model' | 'scope'
> {
  const { scorerId, scorerVersion, passThreshold, deterministic, model, scope } = definition;
  return {
    scorerId,
    scorerVersion,
    definitionHash: hash,
    passThreshold,
    deterministic,
    ...(model !== undefined && { model }),
    ...(scope !== undefined && { scope }),
  };
}
