/** What has to go well for a trial to help its user, in the order in which it happens. */
export const stages = ['connection', 'discovery', 'selection', 'call', 'response', 'userValue'] as const;
export type Stage = (typeof stages)[number];

export const stageStates = ['passed', 'failed', 'notReached', 'notMeasured', 'notApplicable'] as const;
export type StageState = (typeof stageStates)[number];

export const failureCategories = [
  'setup',
  'metadata',
  'selection',
  'arguments',
  'serverData',
  'userValue',
  'evaluator',
] as const;
export type FailureCategory = (typeof failureCategories)[number];

export const stageReasons = [
  'noSpanChannel',
  'noEvidenceCaptured',
  'matchVerdictUnavailable',
  'traceAbsent',
  'executorEmitsNoSpans',
  'blockedByPolicy',
  'evaluatorError',
  'providerError',
  'setupAborted',
  'connectFailed',
  'toolsListFailed',
  'egressUnverified',
  'lifecycleStopped',
  'notAuthored',
  'earlierStageFailed',
  'missingToolCall',
  'unexpectedToolCall',
  'argumentMismatch',
  'toolError',
  'protocolError',
  'renderFailed',
  'predicateFailed',
  'observed',
  'impliedByLaterEvidence',
  'judgeObserved',
  'judgePartial',
  'judgeFailed',
  'judgePending',
  'judgeNotRequested',
] as const;
export type StageReason = (typeof stageReasons)[number];

export interface StageEvidence {
  spanIds?: string[];
  promptIndexes?: number[];
  predicateReasons?: string[];
}

/** One row of the chain. */
export interface StageResult {
  stage: Stage;
  state: StageState;
  reason?: StageReason;
  evidence?: StageEvidence;
}

/** Of the rules in `chain.ts`. A change in what they say needs a new one. */
export const stageAnalyzerVersion = 12;
