export { backtestTrial } from './backtest/backtest.ts';
export {
  authoringProblem,
  type CheckRow,
  evaluateCheck,
  isGating,
} from './checks/evaluate.ts';
export { effectiveChecks, seededChecks } from './checks/standard.ts';
export {
  type CaseComparison,
  type ComparedCase,
  compareCase,
  compareRuns,
  concluded,
  pairsOf,
} from './comparison/compare.ts';
export {
  type Channel,
  type DeclaredTool,
  isServersAnswer,
  type RenderObservation,
  type ToolCall,
  type ToolError,
  type ToolResult,
  type ToolTiming,
  type TrialEvidence,
  type TurnEvidence,
} from './evidence.ts';
export {
  evaluateGate,
  type GateSide,
  type Unanswerable,
} from './gate/gate.ts';
export { groupBy } from './group-by.ts';
export {
  candidateTitle,
  type SessionInsights,
  type StudySignals,
  studySignals,
  type WaveInsights,
  type WindowInsights,
  waveInsights,
  windowInsights,
} from './insights/candidates.ts';
export { discoveryPrompt, readDiscovery } from './insights/discovery.ts';
export {
  sessionPrompt,
  trialPrompt,
  type Users,
  withSessionExplanations,
  withTrialExplanations,
} from './insights/explanation.ts';
export { sessionFindings, trialFinding } from './insights/finding.ts';
export {
  afterWave,
  type FindingState,
  type FindingStatus,
  statusAfter,
} from './insights/finding-status.ts';
export { observeJourneys } from './insights/journey-detectors.ts';
export { journeyFindings } from './insights/journey-findings.ts';
export { maxContrast, maxEvidence, type Observation, type Reading, type Tally } from './insights/observe.ts';
export { TrialClusters } from './insights/trial-clusters.ts';
export { readingRules, readingsOfVisit, visitObservations } from './insights/visit-detectors.ts';
export { factsOfVisit, type Window, windowAt } from './insights/visits.ts';
export { readJudgeAnswer } from './judging/answer.ts';
export { type EvidenceManifest, type JudgeEvidence, judgeEvidence } from './judging/evidence.ts';
export { basisOf, judgeLexically, lexicalJudge } from './judging/lexical.ts';
export {
  type GoalMeasurement,
  type GroundednessMeasurement,
  type JudgedTask,
  type Measurement,
  unmeasured,
} from './judging/measurement.ts';
export { gradingKeyOf, judgePrompt, judgeTemplateHash, judgeTemplateVersion } from './judging/template.ts';
export type { ShownCall } from './matching/calls.ts';
export {
  type PublicMatchOptions,
  publicMatchOptions,
  type ResolvedMatchOptions,
  resolveMatchOptions,
} from './matching/options.ts';
export type { SetupFailure, TrialOutcome } from './outcome.ts';
export { needsWidgets, type PlannedJudge, planSteps, renderedTool, type TrialPlan } from './plan.ts';
export {
  type CallEnd,
  compareResults,
  isFailure,
} from './replay/compare-results.ts';
export { textOfResult, wholeResult } from './results.ts';
export { type EvaluationConfig } from './scores/definition.ts';
export { isIntact, scoreChecker } from './scores/gate.ts';
export { type GradedTrial, withJudgement } from './scores/judgement.ts';
export { type Score } from './scores/score.ts';
export { scorecardOf } from './scores/scorers.ts';
export {
  type FailureCategory,
  type Stage,
  type StageResult,
} from './stage.ts';
export {
  countTrial,
  newStageCount,
  type SetupAttempt,
  stageAnalytics,
  type TrialToCount,
} from './stages/analytics.ts';

export { caseStatistics } from './statistics/case-statistics.ts';
export { quantile } from './statistics/quantile.ts';
export { wilson } from './statistics/wilson.ts';
export type { Criterion, SessionFacts } from './swarms/facts.ts';
export { type SwarmReport, swarmReport } from './swarms/run-report.ts';
export {
  type JourneyRunFacts,
  type JourneyRunVerdictSummary,
  journeyRunVerdict,
} from './swarms/run-verdict.ts';
export { scorecard } from './swarms/scorecard.ts';
export { sessionVerdict } from './swarms/session-verdict.ts';
export { type Grade, gradeTrial } from './trial.ts';
export type { VerdictDecision } from './verdict/decision.ts';
export { legacyResult, summarizeTrials } from './verdict/legacy.ts';
export { decide, resolvePolicy } from './verdict/policy.ts';
export {
  decisionDiagnostics,
  runVerdict,
} from './verdict/summary.ts';
export { isMeasured, policyProblem } from './verdict/trials.ts';
export { notRunWarning, runWarnings, type TrialWarning, trialWarning } from './verdict/warnings.ts';
