import { type CheckRow, isGating } from './checks/evaluate.ts';
import type { TrialEvidence } from './evidence.ts';
import type { TrialPlan } from './plan.ts';

/** How one step of the case went. */
interface StepOutcome {
  stepId: string;
  kind?: 'prompt' | 'toolCall' | 'interact' | 'assert' | undefined;
  status: 'ok' | 'fail' | 'skipped' | 'pending';
  reason?: string | undefined;
  /** The result of the check, if the step is an assertion that runs one. */
  row?: CheckRow | undefined;
}

/** Why no conversation came about. `attributed` says whose fault it was. */
export interface SetupFailure {
  phase: 'connection' | 'discovery';
  attributed: 'server' | 'ours' | 'unknown';
  message?: string | undefined;
}

/** How a trial ended, and what it left behind. */
export interface TrialOutcome {
  status: 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'setup_failed';
  evidence: TrialEvidence;
  /** In the order of the case; those that were never reached may be left out. */
  steps: readonly StepOutcome[];
  /** The model could not be asked, or its provider gave up. */
  modelFailure?: { message: string } | undefined;
  setupFailure?: SetupFailure | undefined;
  /** Why the model stopped, when it was not because it was done: the provider's reason in common terms. */
  finishReason?: string | undefined;
  /** The result of the judge, if one ran; `error`: it could not judge. */
  judge?: 'passed' | 'failed' | 'partial' | 'pending' | 'error' | undefined;
}

/**
 * The step at which the case stopped: the first that failed, where failing stops a case. A prompt never counts, since a
 * trial whose turn broke off did not run to its end.
 */
export function failedStep({ steps }: TrialOutcome): StepOutcome | undefined {
  return steps.find(
    ({ kind, status, row }) => kind !== 'prompt' && status === 'fail' && (!row || isGating(row.predicate)),
  );
}

/**
 * Why a record cannot be true: it says that the trial ran to its end, and names something that would have kept it from
 * that. `plan` has the steps that may fail in a trial that does: those that assert or interact.
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
      // A pinned call that the server refused.
      !(step.kind === 'toolCall' && evidence.toolErrors.length > 0),
  );
  if (broken) return `${completed}, but its step ${broken.stepId} failed: ${broken.reason ?? 'no reason'}`;
  const unreached = steps.find((step) => step.status === 'skipped' || step.status === 'pending');
  if (unreached && !failedStep(outcome))
    return `${completed}, but its step ${unreached.stepId} was not carried out`;
  return undefined;
}

/** Why a trial may have ended before all happened that would have. Undefined: it ran to its end. */
export function cutShortBy(outcome: TrialOutcome): 'providerError' | 'lifecycleStopped' | undefined {
  if (outcome.modelFailure) return 'providerError';
  if (outcome.finishReason === 'error' || outcome.finishReason === 'content-filter') return 'providerError';
  if (outcome.finishReason !== undefined && outcome.finishReason !== 'stop') return 'lifecycleStopped';
  return outcome.status === 'completed' ? undefined : 'lifecycleStopped';
}
