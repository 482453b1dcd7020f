import { planSteps, type TrialPlan } from '../../evaluation/index.ts';
import { plannedJudge } from './frozen-judge.ts';
import type { PlannedCase, RunSnapshot } from './snapshot.ts';

const plans = new WeakMap<PlannedCase, TrialPlan>();

/** The plan of a case, cached and shared by all its trials. */
export function trialPlan(planned: PlannedCase, snapshot: RunSnapshot): TrialPlan {
  const known = plans.get(planned);
  if (known) return known;
  const { turns, steps } = planSteps(planned.steps);
  const last = turns.findLast(({ kind }) => kind === 'prompt');
  const plan: TrialPlan = {
    // The expected output applies to the last prompt.
    turns: turns.map((turn) => (turn === last ? { ...turn, expectedOutput: planned.expectedOutput } : turn)),
    steps,
    isNegative: planned.isNegative,
    match: planned.match,
    checks: planned.checks,
    failOnToolError: planned.failOnToolError,
    judge: plannedJudge(planned, snapshot),
  };
  plans.set(planned, plan);
  return plan;
}
