import type { CheckRow } from './checks/evaluate.ts';
import type { TrialEvidence } from './evidence.ts';

/** What became of a step that asserts or interacts, where it stood. */
interface StepOutcome {
  stepId: string;
  status: 'ok' | 'fail' | 'skipped' | 'pending';
  reason?: string | undefined;
  /** Of an assertion that is a check. */
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
  /** Of the last step of the model, in its provider's terms made alike. */
  finishReason?: string | undefined;
  /** What a judge made of the conversation, where one was asked; `error`: it could not judge. */
  judge?: 'passed' | 'failed' | 'partial' | 'pending' | 'error' | undefined;
}

/** Why a trial may have ended before all happened that would have. Undefined: it ran to its end. */
export function cutShortBy(outcome: TrialOutcome): 'providerError' | 'lifecycleStopped' | undefined {
  if (outcome.modelFailure) return 'providerError';
  if (outcome.finishReason === 'error' || outcome.finishReason === 'content-filter') return 'providerError';
  return outcome.status === 'completed' ? undefined : 'lifecycleStopped';
}
