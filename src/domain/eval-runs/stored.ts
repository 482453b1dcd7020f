import type {
  EvaluationConfig,
  FailureCategory,
  SetupAttempt,
  ShownCall,
  Stage,
  StageResult,
  TrialWarning,
} from '../../evaluation/index.ts';
import type { StepOutcome } from '../../trials/run-trial.ts';

/** Details of an iteration, as stored. */
export interface TrialDetail {
  title: string;
  caseId: string;
  model: string;
  provider: string;
  usage: Record<string, unknown> | null;
  actualToolCalls: ShownCall[];
  expectedToolCalls: ShownCall[];
  error: string | null;
  /** Why the model stopped, if not because it was done. */
  finishReason?: string;
  /** Only on a trial that passed. */
  warning?: TrialWarning;
  predicateResults: unknown[];
  scores: unknown[];
  configHash: string | null;
  /** Only on a trial reported by a client, which has its own definitions. */
  evaluationConfig?: EvaluationConfig;
  steps: StepOutcome[];
  stageResults: readonly StageResult[];
  firstFailedStage?: Stage;
  failureCategory?: FailureCategory;
  stageAnalyzerVersion: number;
}

/** Input of the run's analytics. */
export interface StoredStages {
  rows: readonly StageResult[];
  firstFailedStage?: Stage | undefined;
  failureCategory?: FailureCategory | undefined;
  analyzerVersion: number;
  /** Only on a trial that passed. */
  warning?: TrialWarning | undefined;
  setup: SetupAttempt[];
  /** Milliseconds per stage, where measured. */
  stageMs: Partial<Record<Stage, number>>;
}
