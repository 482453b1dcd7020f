import { z } from 'zod';
import { EvalCheck } from './eval-checks.ts';

const Criterion = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z0-9_.-]+$/, 'Write letters, digits, "_", "." and "-"'),
    label: z.string().trim().min(1).max(200).optional(),
    predicate: EvalCheck.describe('A check, as in eval cases. Advisory with `"role": "advisory"`.'),
  })
  .meta({ id: 'RubricCriterion' });

/** Criteria for grading each session, besides its goal. */
export const SessionRubric = z
  .strictObject({
    criteria: z
      .array(Criterion)
      .min(1)
      .max(25)
      .refine(
        (criteria) => new Set(criteria.map(({ id }) => id)).size === criteria.length,
        'Must not repeat an ID',
      ),
  })
  .meta({ id: 'SessionRubric' });
export type SessionRubric = z.output<typeof SessionRubric>;

/** Settings of the model that judges whether the goal was reached. */
export const GoalJudge = z
  .strictObject({
    enabled: z.boolean().default(true),
    model: z.string().trim().min(1).max(300).optional().describe('`provider/name` of a hosted model.'),
    threshold: z.number().min(0).max(1).default(0.7).describe('Minimum score to count the goal as reached.'),
  })
  .meta({ id: 'JourneyGoalJudge' });
export type GoalJudge = z.output<typeof GoalJudge>;
