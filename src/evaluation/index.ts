export {
  authoringProblem,
  type CheckRow,
  evaluateCheck,
  isGating,
  type TurnScope,
} from './checks/evaluate.ts';
export { effectiveChecks, seededChecks, standardChecks } from './checks/standard.ts';
export type {
  Capture,
  Channel,
  DeclaredTool,
  RenderObservation,
  ToolCall,
  ToolError,
  ToolResult,
  ToolTiming,
  TrialEvidence,
  TurnEvidence,
  Usage,
} from './evidence.ts';
export { evidenceOfTurn } from './evidence.ts';
export type { TrialStatus } from './lifecycle.ts';
export type { ExpectedCall, ShownCall } from './matching/calls.ts';
export {
  defaultMatchOptions,
  type PublicMatchOptions,
  publicMatchOptions,
  type ResolvedMatchOptions,
  resolveMatchOptions,
  type WrittenMatchOptions,
} from './matching/options.ts';
export type { SetupFailure, StepOutcome, TrialOutcome } from './outcome.ts';
export { type PlannedStep, type PlannedTurn, planSteps, renderedTool, type TrialPlan } from './plan.ts';
export {
  type EvaluationConfig,
  evaluationConfig,
  type HashedDefinition,
  hashed,
  type ScoreDefinition,
} from './scores/definition.ts';
export { evaluatorErrors, type Gate, gate, isIntact } from './scores/gate.ts';
export { notScored, type Score, scored } from './scores/score.ts';
export { type Scorecard, scorecardOf } from './scores/scorers.ts';
export {
  countTrial,
  newStageCount,
  type SetupAttempt,
  type StageAnalytics,
  type StageCount,
  stageAnalytics,
  type TrialToCount,
} from './stages/analytics.ts';
export type { StageChain } from './stages/chain.ts';
export { nextAction } from './stages/next-action.ts';
export {
  type FailureCategory,
  failureCategories,
  type Stage,
  type StageReason,
  type StageResult,
  type StageState,
  stageAnalyzerVersion,
  stageReasons,
  stageStates,
  stages,
} from './stages/stage.ts';
export { type StoredChain, type VerifiedChain, verifyChain } from './stages/verify.ts';
export { type CaseStatistics, caseStatistics } from './statistics/case-statistics.ts';
export { passesToSettle, type Settling, trialsToSettle } from './statistics/settle.ts';
export { type Interval, wilson } from './statistics/wilson.ts';
export { type Grade, type GradedTurn, gradeTrial } from './trial.ts';
export type {
  CaseDecision,
  ExecutionVariant,
  Rate,
  ValidityPolicy,
  VerdictDecision,
} from './verdict/decision.ts';
export { legacyResult, summarizeTrials, type TrialSummary } from './verdict/legacy.ts';
export { decide, resolvePolicy, type WrittenValidity } from './verdict/policy.ts';
export {
  type DecisionDiagnostics,
  decisionDiagnostics,
  type RunToSummarize,
  type RunVerdict,
  runVerdict,
  type TrialToExplain,
} from './verdict/summary.ts';
export { type ConfiguredVariant, policyProblem, type TrialRecord } from './verdict/trials.ts';
