import { z } from 'zod';

/** A reason to doubt a result. */
export const EvalWarning = z
  .object({
    code: z
      .string()
      .describe(
        'nothing_checked, no_tools_offered, judge_only_advised, no_trial_passed, trials_excluded, trials_not_run or reported_with_failure. New codes may be added.',
      ),
    message: z.string(),
  })
  .meta({ id: 'EvalWarning' });
