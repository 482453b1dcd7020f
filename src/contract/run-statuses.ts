/** The statuses of an eval run, in the order in which it passes them. The console reads this list without schemas. */
export const runStatuses = [
  'pending',
  'running',
  'grading',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
] as const;
