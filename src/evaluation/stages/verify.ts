import {
  type FailureCategory,
  failureCategories,
  type Stage,
  type StageResult,
  stageAnalyzerVersion,
  stageReasons,
  stageStates,
  stages,
} from './stage.ts';

/** The stage results of a trial as stored, possibly by another version of this code or an external runner. */
export interface StoredChain {
  stageResults?: readonly StageResult[] | null | undefined;
  firstFailedStage?: Stage | null | undefined;
  failureCategory?: FailureCategory | null | undefined;
  stageAnalyzerVersion?: number | null | undefined;
}

interface VersionAhead {
  reported: number;
  known: number;
}

/** The result of verifying a chain. Only verified chains are shown and counted. */
export type VerifiedChain =
  | {
      status: 'verified';
      stages: StageResult[];
      firstFailedStage?: Stage;
      failureCategory?: FailureCategory;
      analyzerVersion: number;
      analyzerVersionAhead?: VersionAhead;
    }
  | { status: 'unverified'; analyzerVersion?: number; analyzerVersionAhead?: VersionAhead }
  | { status: 'absent' };

export function verifyChain(stored: StoredChain): VerifiedChain {
  const { stageResults, firstFailedStage, failureCategory, stageAnalyzerVersion: version } = stored;
  if (!stageResults) return { status: 'absent' };
  const known = typeof version === 'number' && Number.isInteger(version) && version >= 0;
  const ahead =
    known && version > stageAnalyzerVersion
      ? { analyzerVersionAhead: { reported: version, known: stageAnalyzerVersion } }
      : {};
  if (!known || !keepsRules(stored, stageResults))
    return { status: 'unverified', ...(known && { analyzerVersion: version }), ...ahead };
  return {
    status: 'verified',
    stages: [...stageResults],
    ...(firstFailedStage && { firstFailedStage }),
    ...(failureCategory && { failureCategory }),
    analyzerVersion: version,
    ...ahead,
  };
}

/**
 * Checks that all stages are present in order, that the stages after the first failure are `notReached`, and that
 * `firstFailedStage` names that failure.
 */
function keepsRules(
  { firstFailedStage, failureCategory }: StoredChain,
  rows: readonly StageResult[],
): boolean {
  const failedAt = rows.findIndex(({ state }) => state === 'failed');
  return (
    rows.length === stages.length &&
    rows.every(
      ({ stage, state, reason }, at) =>
        stage === stages[at] &&
        stageStates.includes(state) &&
        (reason === undefined || stageReasons.includes(reason)) &&
        (failedAt === -1 ? state !== 'notReached' : at <= failedAt || state === 'notReached'),
    ) &&
    (firstFailedStage ?? undefined) === rows[failedAt]?.stage &&
    (!failureCategory || failureCategories.includes(failureCategory))
  );
}
