import type { RunEvent } from '../../../contract/eval-iterations.ts';
import type { ShownCall, Stage } from '../../../evaluation/index.ts';
import type { RecordedTrial, TrialRow } from '../../../platform/database/queries/eval-trials.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import type { Span } from '../../../trials/spans.ts';
import { type StoredTrace, storeTrace } from '../../artifacts/traces.ts';
import type { Services } from '../../context/context.ts';
import type { StoredStages, TrialDetail } from '../stored.ts';
import { abandonedTrial, type ConductedTrial, type TrialParts } from './conduct.ts';
import type { StoredRecording } from './media.ts';
import { tracedWidget } from './traced-widget.ts';

type UncountedEvent = Omit<RunEvent, 'finished' | 'trials'>;

/** The row of a trial to store, and a blob for a trace too long for the row. */
export interface Recorded {
  result: Omit<RecordedTrial, 'leaseToken' | 'state' | 'lastError' | 'events'>;
  blob: StoredTrace['blob'];
  media: readonly StoredRecording[];
  finished: UncountedEvent;
}

export async function recorded(services: Services, row: TrialRow, trial: ConductedTrial): Promise<Recorded> {
  const { run, plan, grade, status, startedAt, finishedAt, spending } = trial;
  const trace = await storeTrace(services, run, traceOf(trial));
  const usage = trial.record?.evidence.usage;
  return {
    result: {
      trialId: row.id,
      runId: run.id,
      position: row.position,
      caseId: plan.case.id,
      variant: row.variant,
      number: row.number,
      status,
      result: grade.result,
      evaluatorError: grade.evaluatorError,
      startedAt,
      finishedAt,
      durationMs: finishedAt - startedAt,
      totalTokens: usage?.totalTokens ?? null,
      detail: storableJson(detailOf(trial)),
      stages: storableJson(stagesOf(trial)),
      traceBody: trace?.body ?? null,
      traceBlobId: trace?.blob?.id ?? null,
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      modelCalls: spending.calls,
      costMicros: spending.costMicros ?? null,
      billedMicros: spending.billedMicros,
    },
    blob: trace?.blob,
    media: trial.media,
    finished: finishedEvent(row, trial),
  };
}

/** Result of a trial given up after repeated crashes; the run goes on without it. */
export async function abandoned(parts: TrialParts, row: TrialRow, message: string): Promise<Recorded> {
  return recorded(parts.services, row, await abandonedTrial(parts, row, message));
}

function detailOf({ plan, grade, record, error, graderError }: ConductedTrial): TrialDetail {
  const usage = record?.evidence.usage;
  return {
    title: plan.case.title,
    caseId: plan.case.declaredId,
    model: plan.variant.model,
    provider: plan.variant.provider,
    usage: usage ? { ...usage } : null,
    actualToolCalls: shownCalls(grade.actualToolCalls),
    expectedToolCalls: grade.expectedToolCalls,
    error: error ?? (graderError === undefined ? null : `The judging failed: ${graderError}`),
    ...(record?.finish !== undefined && { finishReason: record.finish }),
    ...(grade.warning && { warning: grade.warning }),
    predicateResults: grade.rows,
    scores: grade.scores,
    configHash: grade.evaluationConfig.hash,
    steps: record?.steps ?? [],
    stageResults: grade.stageResults,
    ...(grade.firstFailedStage && { firstFailedStage: grade.firstFailedStage }),
    ...(grade.failureCategory && { failureCategory: grade.failureCategory }),
    stageAnalyzerVersion: grade.stageAnalyzerVersion,
  };
}

/** Maximum number of characters of tool arguments shown per trial in lists; the trace has all of them. */
const maxShown = 65_536;

function shownCalls(calls: readonly ShownCall[]): ShownCall[] {
  let room = maxShown;
  return calls.map((call) => {
    const { length } = JSON.stringify(call.arguments);
    if (length > room) return { ...call, arguments: { cut: true, characters: length } };
    room -= length;
    return call;
  });
}

function stagesOf({ grade, setup, record }: ConductedTrial): StoredStages {
  const { stageResults, firstFailedStage, failureCategory, stageAnalyzerVersion } = grade;
  return {
    rows: stageResults,
    firstFailedStage,
    failureCategory,
    analyzerVersion: stageAnalyzerVersion,
    ...(grade.warning && { warning: grade.warning }),
    setup: setup.attempts,
    stageMs: {
      ...msOf(
        'selection',
        record?.spans.list.filter(({ category }) => category === 'llm'),
      ),
      ...msOf(
        'call',
        record?.spans.list.filter(({ category }) => category === 'tool'),
      ),
    },
  };
}

/** Time covered by the spans together; overlaps count once. */
function msOf(stage: Stage, spans: readonly Span[] = []): Partial<Record<Stage, number>> {
  let [covered, until] = [0, -Infinity];
  for (const { startMs, endMs } of [...spans].sort((a, b) => a.startMs - b.startMs)) {
    covered += Math.max(0, endMs - Math.max(startMs, until));
    until = Math.max(until, endMs);
  }
  return spans.length === 0 ? {} : { [stage]: covered };
}

/** The number of ended trials is added when the event is written to its run. */
function finishedEvent(row: TrialRow, trial: ConductedTrial): UncountedEvent {
  const { run, plan, status, grade, startedAt, finishedAt } = trial;
  return {
    type: 'trial.finished',
    runId: run.id,
    at: finishedAt,
    iterationId: row.id,
    testCaseId: plan.case.id,
    title: plan.case.title,
    iterationNumber: row.number,
    model: plan.variant.model,
    status,
    result: grade.result,
    durationMs: finishedAt - startedAt,
  } as UncountedEvent;
}

/** The trace: messages, spans, prompts and the frames exchanged with servers. */
function traceOf({ record, grade, run, startedAt }: ConductedTrial): string | undefined {
  if (!record) return undefined;
  const { recorder, spans, widgets } = record;
  const video = widgets.find((shown) => shown.video)?.video;
  const { systemPrompt } = run.snapshot;
  return JSON.stringify({
    traceVersion: 1,
    startedAt,
    ...(systemPrompt !== undefined && { systemPrompt }),
    messages: recorder.messages,
    spans: spans.list,
    prompts: grade.turns,
    frames: recorder.frames,
    ...(widgets.length > 0 && {
      widgetSnapshots: widgets.map((shown) => tracedWidget(shown, spans.started)),
    }),
    ...(video && { videoBlobId: video.blobId }),
  });
}
