import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import type { JourneyRunVerdictSummary } from '../../../evaluation/index.ts';
import type { JourneyRunRow } from '../../../platform/database/queries/journey-runs.ts';
import type { AttemptRow } from '../../../platform/database/queries/journey-sessions.ts';
import type { ShownTarget } from '../snapshot.ts';

export type PresentedRun = OutputOf<Operations['getJourneyRun']>;
type Attempt = NonNullable<PresentedRun['attempts']>[number];
export type Summary = PresentedRun['summary'];

/** The fields common to lists and details. */
export function presentRun(run: JourneyRunRow): PresentedRun {
  const { error, verdict, completedAt } = run;
  return {
    id: run.id,
    projectId: run.projectId,
    journeyId: run.journeyId,
    waveId: run.waveId,
    status: run.status,
    canceled: error === 'canceled',
    stale: error === 'stale_runner',
    ...(error !== null && { error }),
    summary: summaryOf(run),
    targets: targetsOf(run).map(presentTarget),
    persona: run.persona as NonNullable<PresentedRun['persona']>,
    createdAt: run.createdAt,
    ...(completedAt !== null && { completedAt }),
    ...(verdict !== null && { verdictSummary: presentVerdict(verdict as JourneyRunVerdictSummary) }),
  };
}

/** A cast, because the contract allows additional fields, which the type of the row does not express. */
export function presentVerdict(
  verdict: JourneyRunVerdictSummary,
): NonNullable<PresentedRun['verdictSummary']> {
  return verdict as NonNullable<PresentedRun['verdictSummary']>;
}

export function targetsOf({ targets }: Pick<JourneyRunRow, 'targets'>): ShownTarget[] {
  return targets as ShownTarget[];
}

function presentTarget(target: ShownTarget): PresentedRun['targets'][number] {
  const { hostId, hostName, targetId, kind, environmentName, modelId } = target;
  return {
    hostId,
    hostName,
    targetId,
    ...(kind === 'environment' && { environmentId: targetId }),
    ...(environmentName !== undefined && { environmentName }),
    modelId,
  };
}

export function summaryOf({ total, succeeded, failed, rateLimited }: JourneyRunRow): Summary {
  return { total, succeeded, failed, rateLimited };
}

export function presentAttempt(targets: readonly ShownTarget[], row: AttemptRow): Attempt {
  const { hostId, targetId } = targets[row.target] as ShownTarget;
  return {
    // A session that never started has no messages.
    chatSessionId: row.startedAt === null ? null : row.id,
    hostId,
    targetId,
    sessionIndex: row.sessionIndex,
    status: row.status,
    turns: row.turns,
    errorCode: row.errorCode,
    errorMessage: row.errorMessage,
  };
}

export function targetSummaries(
  targets: readonly ShownTarget[],
  rows: readonly AttemptRow[],
): NonNullable<PresentedRun['targetSummaries']> {
  return targets.map(({ hostId, targetId }, at) => {
    const own = rows.filter(({ target }) => target === at);
    const count = (status: AttemptRow['status']): number => own.filter((row) => row.status === status).length;
    return {
      hostId,
      targetId,
      total: own.length,
      succeeded: count('succeeded'),
      failed: count('failed'),
      rateLimited: count('rate_limited'),
    };
  });
}
