/** A requirement that the author of a rubric states. */
interface Criterion {
  id: string;
  label: string;
  description?: string | undefined;
  required?: boolean | undefined;
}

export interface Rubric {
  instructions?: string | undefined;
  criteria?: readonly Criterion[] | undefined;
}

/** The task of the judged trial. */
export interface JudgedTask {
  title: string;
  expectedOutput?: string | undefined;
  /** The model should have called no tool. */
  isNegative: boolean;
  rubric?: Rubric | null | undefined;
}

interface Measured {
  status: 'scored' | 'error' | 'skipped';
  /** From 0 to 1; only when scored. */
  score?: number;
  reason: string;
  errorCode?: string;
}

/** How far the answer meets the user's goal. */
export interface GoalMeasurement extends Measured {
  /** IDs of the criteria that are met. */
  rubricHits: string[];
}

/** The share of the answer's claims that the rest of the recording supports. */
export interface GroundednessMeasurement extends Measured {
  unsupportedClaims: string[];
}

export interface Measurement {
  goal: GoalMeasurement;
  groundedness: GroundednessMeasurement;
}

/** A goal score. A missed required criterion sets it to 0. */
export function goalOf(
  score: number,
  reason: string,
  rubricHits: readonly string[],
  rubric: Rubric | null | undefined,
): GoalMeasurement {
  const missed = (rubric?.criteria ?? []).filter(({ id, required }) => required && !rubricHits.includes(id));
  if (missed.length === 0) return { status: 'scored', score, reason, rubricHits: [...rubricHits] };
  const names = missed.map(({ id }) => id).join(', ');
  return {
    status: 'scored',
    score: 0,
    reason: `Required and not met: ${names}. ${reason}`,
    rubricHits: [...rubricHits],
  };
}

/** Gives both measurements the same status. */
export function unmeasured(status: 'error' | 'skipped', errorCode: string, reason: string): Measurement {
  const common = { status, errorCode, reason };
  return { goal: { ...common, rubricHits: [] }, groundedness: { ...common, unsupportedClaims: [] } };
}
