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
export { type Grade, type GradedTurn, gradeTrial } from './trial.ts';
export type { VerdictDecision } from './verdict/decision.ts';
export {
  type ConfiguredVariant,
  decide,
  policyProblem,
  resolvePolicy,
  type TrialRecord,
  type WrittenValidity,
} from './verdict/policy.ts';
