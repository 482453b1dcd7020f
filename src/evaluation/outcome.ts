import { type CheckRow, isGating } from './checks/evaluate.ts';
import type { TrialEvidence } from './evidence.ts';
import type { TrialPlan } from './plan.ts';

/** The outcome of one step of the case. */
interface StepOutcome {
  stepId: string;
  kind?: 'prompt' | 'toolCall' | 'interact' | 'assert' | undefined;
  status: 'ok' | 'fail' | 'skipped' | 'pending';
  reason?: string | undefined;
  /** The result of the check, if the step is an assertion that runs one. */
  row?: CheckRow | undefined;
}

/** Why the conversation could not start. `attributed`: the party at fault. */
export interface SetupFailure {
  phase: 'connection' | 'discovery';
  attributed: 'server' | 'ours' | 'unknown';
  message?: string | undefined;
}

/** How a trial ended, and its evidence. */
export interface TrialOutcome {
  status: 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'setup_failed';
  evidence: TrialEvidence;
  /** In the order of the case; steps that were not reached may be missing. */
  steps: readonly StepOutcome[];
  /** The model could not be called, or its provider failed. */
  modelFailure?: { message: string } | undefined;
  setupFailure?: SetupFailure | undefined;
  /** Why the model stopped, in the common terms of providers; `stop` or undefined if it finished. */
  finishReason?: string | undefined;
  /** The result of the judge, if one ran; `error`: the judge failed. */
  judge?: 'passed' | 'failed' | 'partial' | 'pending' | 'error' | undefined;
}

/**
 * The first failed step that stops the case: not an advisory check. Failed prompts are excluded, because a trial with
 * one is not completed.
 */
export function failedStep({ steps }: TrialOutcome): StepOutcome | undefined {
  return steps.find(
    ({ kind, status, row }) => kind !== 'prompt' && status === 'fail' && (!row || isGating(row.predicate)),
  );
}

/**
 * Why an outcome is inconsistent: its status is `completed`, but it contains something that prevents completion. Steps
 * in `plan`, which assert or interact, may fail in a completed trial.
 */
export function contradictionIn(plan: Pick<TrialPlan, 'steps'>, outcome: TrialOutcome): string | undefined {
  const { status, steps, modelFailure, setupFailure, finishReason, evidence } = outcome;
  if (status !== 'completed') return undefined;
  const completed = 'The trial is recorded as completed';
  if (setupFailure) return `${completed}, but its servers could not be set up`;
  if (modelFailure) return `${completed}, but its model failed: ${modelFailure.message}`;
  if (finishReason !== undefined && finishReason !== 'stop')
    return `${completed}, but the model stopped early: ${finishReason}`;
  const mayFail = new Set(plan.steps.map(({ stepId }) => stepId));
  const broken = steps.find(
    (step) =>
      step.status === 'fail' &&
      !mayFail.has(step.stepId) &&
      // A pinned call may fail because the server refused it.
      !(step.kind === 'toolCall' && evidence.toolErrors.length > 0),
  );
  if (broken) return `${completed}, but its step ${broken.stepId} failed: ${broken.reason ?? 'no reason'}`;
  const unreached = steps.find((step) => step.status === 'skipped' || step.status === 'pending');
  if (unreached && !failedStep(outcome))
    return `${completed}, but its step ${unreached.stepId} was not carried out`;
  return undefined;
}

/** Why a trial may have ended early, so that missing events prove nothing. Undefined: it ran to its end. */
export function cutShortBy(outcome: TrialOutcome): 'providerError' | 'lifecycleStopped' | undefined {
  if (outcome.modelFailure) return 'providerError';
  if (outcome.finishReason === 'error' || outcome.finishReason === 'content-filter') return 'providerError';
  if (outcome.finishReason !== undefined && outcome.finishReason !== 'stop') return 'lifecycleStopped';
  return outcome.status === 'completed' ? undefined : 'lifecycleStopped';
}
