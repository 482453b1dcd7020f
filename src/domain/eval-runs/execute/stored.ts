import type {
  EvaluationConfig,
  FailureCategory,
  SetupAttempt,
  ShownCall,
  Stage,
  StageResult,
  TrialWarning,
} from '../../../evaluation/index.ts';
import type { StepOutcome } from '../../../trials/run-trial.ts';

/** What an iteration shows, as it is stored. */
export interface TrialDetail {
  title: string;
  caseId: string;
  model: string;
  provider: string;
  usage: Record<string, unknown> | null;
  actualToolCalls: ShownCall[];
  expectedToolCalls: ShownCall[];
  error: string | null;
  /** Why the model stopped, when it was not done. */
  finishReason?: string;
  /** Of one that passed. */
  warning?: TrialWarning;
  predicateResults: unknown[];
  scores: unknown[];
  configHash: string | null;
  /** Of a trial that was judged elsewhere, by its own definitions. */
  evaluationConfig?: EvaluationConfig;
  steps: StepOutcome[];
  stageResults: readonly StageResult[];
  firstFailedStage?: Stage;
  failureCategory?: FailureCategory;
  stageAnalyzerVersion: number;
}

/** What the analytics of the run are made of. */
export interface StoredStages {
  rows: readonly StageResult[];
  firstFailedStage?: Stage | undefined;
  failureCategory?: FailureCategory | undefined;
  analyzerVersion: number;
  /** Of one that passed. */
  warning?: TrialWarning | undefined;
  setup: SetupAttempt[];
  /** Milliseconds that each stage took, where it was measured. */
  stageMs: Partial<Record<Stage, number>>;
}
