import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { GoalJudge, type SessionRubric } from '../../contract/rubrics.ts';
import type { JourneyRow } from '../../platform/database/queries/journeys.ts';

/** Default share of a target's sessions that must pass. */
export const defaultThreshold = 0.8;
export const defaultJudge = GoalJudge.parse({});

export function presentJourney(row: JourneyRow): OutputOf<Operations['getJourney']> {
  const { serverGroupId, archivedAt: _, ...journey } = row;
  return {
    ...journey,
    ...(serverGroupId !== null && { serverAttachmentId: serverGroupId }),
    rubric: row.rubric as SessionRubric | null,
    judge: row.judge as GoalJudge,
  };
}
