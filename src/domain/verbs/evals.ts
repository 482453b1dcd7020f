export { getArtifact } from '../artifacts/read.ts';
export { generateEvalCases } from '../case-drafts/generate.ts';
export {
  createEvalArtifactLink,
  createEvalIngestUploadUrl,
  getEvalArtifact,
  getEvalArtifactByLink,
  uploadEvalArtifactByLink,
} from '../eval-ingest/artifact-links.ts';
export { getEvalIngestCapabilities } from '../eval-ingest/capabilities.ts';
export { reportCaseRunEvaluations } from '../eval-ingest/evaluations.ts';
export { reportEvalArtifact } from '../eval-ingest/report-artifact.ts';
export {
  finalizeEvalIngestRun,
  ingestEvalRunIterations,
  reportEvalRun,
  startEvalIngestRun,
} from '../eval-ingest/runs.ts';
export { uploadEvalArtifact } from '../eval-ingest/upload-artifact.ts';
export { backtestEvalRun } from '../eval-runs/backtest/checks.ts';
export { backtestEvalRunJudge } from '../eval-runs/backtest/judge.ts';
export { cancelEvalRun } from '../eval-runs/cancel.ts';
export { compareEvalRun } from '../eval-runs/compare/compare.ts';
export { getEvalRunGate } from '../eval-runs/gate/report.ts';
export { createGateWaiver, getGateWaiver, revokeGateWaiver } from '../eval-runs/gate/waivers.ts';
export { requestEvalRunInsights } from '../eval-runs/insights.ts';
export { requestEvalRunJudge } from '../eval-runs/judge/request.ts';
export { createEvalRun } from '../eval-runs/launch/create.ts';
export { getEvalRunDisclosure } from '../eval-runs/launch/disclose.ts';
export { createEvalRunGroup } from '../eval-runs/launch/group.ts';
export { getEvalRunRerunPreview, rerunEvalRun } from '../eval-runs/launch/rerun.ts';
export { getEvalRunStageAnalytics, listEvalSuiteStageAnalytics } from '../eval-runs/read/analytics.ts';
export { watchEvalRun } from '../eval-runs/read/events.ts';
export { getEvalIteration, getEvalRunSteps, listEvalRunIterations } from '../eval-runs/read/iterations.ts';
export { exportTracesOtlp } from '../eval-runs/read/otlp.ts';
export { getEvalRun, listEvalRuns, listEvalSuiteRuns } from '../eval-runs/read/run.ts';
export { getEvalRunDecisionSummary } from '../eval-runs/read/summary.ts';
export { getEvalIterationTrace } from '../eval-runs/read/trace.ts';
export { listEvalRunTrialStates } from '../eval-runs/read/trial-states.ts';
export { replayEvalRun } from '../eval-runs/replay/replay.ts';
export { exportEvalSuiteFile } from '../eval-suite-files/export.ts';
export { syncFileOwnedEvalSuite } from '../eval-suite-files/from-file.ts';
export { syncEvalSuiteFile } from '../eval-suite-files/sync.ts';
export { createEvalCases } from '../eval-suites/cases/batch.ts';
export { createEvalCase } from '../eval-suites/cases/create.ts';
export { getEvalCase, listEvalCases } from '../eval-suites/cases/list.ts';
export { deleteEvalCase, updateEvalCase } from '../eval-suites/cases/update.ts';
export { createEvalSuite } from '../eval-suites/create.ts';
export { deleteEvalSuite } from '../eval-suites/delete.ts';
export { getEvalSuite, listEvalSuiteRevisions, listEvalSuites } from '../eval-suites/read.ts';
export { updateEvalSuiteSchedule } from '../eval-suites/schedule.ts';
export { attachEvalSuiteEnvironment, updateEvalSuite } from '../eval-suites/update.ts';
