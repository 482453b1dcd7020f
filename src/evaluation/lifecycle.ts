/** The progress of a trial, independent of its result. */
export type TrialStatus =
  | 'pending'
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timed_out'
  | 'setup_failed'
  | 'skipped';

/** Why a trial that did not complete says nothing about its task. */
export const incompleteness = {
  pending: 'notTerminal',
  running: 'notTerminal',
  skipped: 'skipped',
  setup_failed: 'setupFailed',
  cancelled: 'cancelled',
  timed_out: 'timedOut',
  failed: 'executionFailed',
} as const satisfies Record<Exclude<TrialStatus, 'completed'>, string>;
