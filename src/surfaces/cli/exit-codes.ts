/** What the command line ends with, for CI. */
export const exitCodes = {
  passed: 0,
  /** What was checked is not as it should be: the verdict. */
  failed: 1,
  /** The command cannot be carried out as it was given. */
  usage: 2,
  /** No verdict: too little was measured, or it broke off. */
  incomplete: 3,
  /** The service does not answer. */
  unreachable: 4,
  /** Somebody pressed Ctrl-C. */
  interrupted: 130,
} as const;
