/** The stages of a trial, in order. */
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

/** Version of the rules in `stages/chain.ts`. Increase it when a change affects their results. */
export const stageAnalyzerVersion = 12;
