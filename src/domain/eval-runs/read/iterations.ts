import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import {
  type EvaluationConfig,
  isIntact,
  type Score,
  scorecardOf,
  trialWarning,
} from '../../../evaluation/index.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { describeWidgetStep } from '../../../widgets/describe-step.ts';
import { artifactUrl } from '../../artifacts/read.ts';
import { pageBy } from '../../base/paging.ts';
import type { Context } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { type Vocabulary, vocabularyOf } from '../../eval-suites/cases/vocabulary.ts';
import { findRun, findTrial, snapshotOf } from '../find.ts';
import { type PlannedCase, type RunSnapshot } from '../snapshot.ts';
import type { TrialDetail } from '../stored.ts';
import { trialPlan } from '../trial-plan.ts';

type Iteration = OutputOf<Operations['listEvalRunIterations']>['items'][number];
type Step = OutputOf<Operations['getEvalRunSteps']>['items'][number];

/** Shared with the diagnostics of a run, so that cursors work for both. */
export const iterationScope = (runId: string): unknown[] => ['eval-iterations', runId];

export const listEvalRunIterations: Verb<'listEvalRunIterations'> = async (context, input) => {
  const { id: runId } = await findRun(context, input.runId);
  const snapshot = await snapshotOf(context, runId);
  const configs = new Map<string, EvaluationConfig>();
  return pageBy(context, input, {
    scope: iterationScope(runId),
    placeOf: ({ position }: trials.ListedTrial) => [position] as const,
    fetch: (after, most) => context.db.rows(trials.list, { runId, after: after?.[0] ?? -1, most }),
    present: (row) => presentIteration(snapshot, row, vocabularyOf(input), configs),
  });
};

export const getEvalIteration: Verb<'getEvalIteration'> = async (context, input) => {
  const { run, trial } = await findTrial(context, input.runId, input.iterationId);
  return presentIteration(await snapshotOf(context, run.id), trial, vocabularyOf(input), new Map());
};

/** Derives the evaluation config of a case from its plan, which is why trials do not store it. */
function configOf(
  planned: PlannedCase,
  snapshot: RunSnapshot,
  configs: Map<string, EvaluationConfig>,
): EvaluationConfig {
  const known = configs.get(planned.id);
  const config = known ?? scorecardOf(trialPlan(planned, snapshot)).config;
  configs.set(planned.id, config);
  return config;
}

export function statusOf({
  state,
  status,
}: Pick<trials.ListedTrial, 'state' | 'status'>): Iteration['status'] {
  if (status !== null) return status;
  if (state === 'cancelled') return 'cancelled';
  return state === 'running' ? 'running' : state === 'waiting' ? 'pending' : 'failed';
}

function presentIteration(
  snapshot: RunSnapshot,
  row: trials.ListedTrial,
  vocabulary: Vocabulary,
  configs: Map<string, EvaluationConfig>,
): Iteration {
  const planned = snapshot.cases.find(({ id }) => id === row.caseId) as PlannedCase;
  const variant = planned.variants[row.variant];
  const detail = row.detail as TrialDetail | null;
  return {
    id: row.id,
    testCaseId: row.caseId,
    caseId: planned.declaredId,
    title: planned.title,
    iterationNumber: row.number,
    status: statusOf(row),
    result: row.result,
    model: variant?.model ?? '',
    provider: variant?.provider ?? '',
    attempts: row.attempts,
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    tokensUsed: row.totalTokens,
    usage: detail?.usage
      ? { ...detail.usage, ...(row.costMicros !== null && { estimatedCostUsd: row.costMicros / 1_000_000 }) }
      : null,
    actualToolCalls: (detail?.actualToolCalls ?? []).map((call) => ({ ...call })),
    expectedToolCalls: (detail?.expectedToolCalls ?? []).map((call) => ({ ...call })),
    error: detail?.error ?? null,
    ...(detail?.finishReason !== undefined && { finishReason: detail.finishReason }),
    ...(detail?.warning && { warnings: [trialWarning(detail.warning)] }),
    ...(detail && judgement(detail, planned, vocabulary, configs, snapshot)),
  };
}

function judgement(
  detail: TrialDetail,
  planned: PlannedCase,
  vocabulary: Vocabulary,
  configs: Map<string, EvaluationConfig>,
  snapshot: RunSnapshot,
): Partial<Iteration> {
  const { reported } = snapshot;
  const scored = reported
    ? detail.evaluationConfig && scoring(detail.evaluationConfig, detail, vocabulary)
    : scoring(configOf(planned, snapshot, configs), detail, vocabulary);
  if (reported) return { ...scored };
  return {
    predicateResults: detail.predicateResults as Record<string, unknown>[],
    ...scored,
    stageResults: detail.stageResults as NonNullable<Iteration['stageResults']>,
    ...(detail.firstFailedStage && {
      firstFailedStage: detail.firstFailedStage,
    }),
    ...(detail.failureCategory && { failureCategory: detail.failureCategory }),
    stageAnalyzerVersion: detail.stageAnalyzerVersion,
  };
}

/** The scores, if they are valid for their definitions. */
function scoring(config: EvaluationConfig, detail: TrialDetail, vocabulary: Vocabulary): Partial<Iteration> {
  const scores = detail.scores as Score[];
  const ours = detail.evaluationConfig !== undefined || detail.configHash === config.hash;
  if (!ours || !isIntact(config, scores)) return { scoreIntegrity: 'score_integrity_invalid' };
  return {
    scores: scores.map((score) => ({ ...score })),
    evaluationConfig: {
      hash: config.hash,
      definitions: config.definitions.map((one) => shownDefinition({ ...one }, vocabulary)),
    },
  };
}

function shownDefinition(
  definition: Record<string, unknown>,
  vocabulary: Vocabulary,
): Record<string, unknown> {
  const { role } = definition;
  return vocabulary === '2' && role === 'gating' ? { ...definition, role: 'required' } : definition;
}

/** Signed URLs of recordings, newly created for each response. */
function evidenceOf(
  context: Context,
  { toolCallIds, pictureId, video }: TrialDetail['steps'][number],
  planned: PlannedCase['steps'][number],
): Pick<Step, 'evidence'> {
  if (!toolCallIds && !video && pictureId === undefined) return {};
  const filmed = video && {
    videoUrl: artifactUrl(context, video.blobId),
    videoBlobId: video.blobId,
    videoOffsetMs: video.offsetMs,
  };
  const seen = pictureId !== undefined && {
    screenshotUrl: artifactUrl(context, pictureId),
  };
  const about = (video || pictureId !== undefined) && describeWidgetStep(planned);
  return { evidence: { ...(toolCallIds && { toolCalls: toolCallIds }), ...about, ...seen, ...filmed } };
}

export const getEvalRunSteps: Verb<'getEvalRunSteps'> = async (context, input) => {
  const { run, trial } = await findTrial(context, input.runId, input.iterationId);
  const snapshot = await snapshotOf(context, run.id);
  const planned = snapshot.cases.find(({ id }) => id === trial.caseId) as PlannedCase;
  const detail = trial.detail as TrialDetail | null;
  const waits = detail === null && statusOf(trial) !== 'cancelled';
  const steps = planned.steps.map((one, stepIndex): Step => {
    const { id, kind } = one;
    const step = detail?.steps.find(({ stepId }) => stepId === id);
    return {
      stepId: id,
      stepIndex,
      kind,
      status: step?.status ?? (waits ? 'pending' : 'skipped'),
      ...(step?.reason !== undefined && { reason: step.reason }),
      ...(step && evidenceOf(context, step, one)),
    };
  });
  const page = await pageBy(context, input, {
    scope: ['eval-steps', trial.id],
    placeOf: ({ stepIndex }: Step) => [stepIndex] as const,
    fetch: async (after, most) => steps.slice((after?.[0] ?? -1) + 1).slice(0, most),
    present: (step) => step,
  });
  return { ...page, evidence: detail ? 'resolved' : 'unavailable' };
};
