export const exitCodes = {
  passed: 0,
  /** The verdict is negative, for example an eval run failed. */
  failed: 1,
  /** The command or its arguments are invalid. */
  usage: 2,
  /** There is no verdict: too little was measured, or the run ended early. */
  incomplete: 3,
  /** The service does not respond. */
  unreachable: 4,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
