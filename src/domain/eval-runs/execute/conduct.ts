import type { RunEvent } from '../../../contract/eval-iterations.ts';
import {
  type Grade,
  gradeTrial,
  needsWidgets,
  type SetupAttempt,
  type SetupFailure,
  type TrialOutcome,
  type TrialPlan,
} from '../../../evaluation/index.ts';
import { ModelFailure, unlessAborted } from '../../../models/failure.ts';
import type { TrialRow, TrialStatus } from '../../../platform/database/queries/eval-trials.ts';
import type { BackgroundThrottle } from '../../../platform/flow/background-throttle.ts';
import { Deadline } from '../../../platform/flow/deadline.ts';
import type { KeyedSemaphore } from '../../../platform/flow/semaphore.ts';
import { redact } from '../../../platform/log.ts';
import { runTrial, type TrialRecord } from '../../../trials/run-trial.ts';
import { skillTools } from '../../../trials/skills.ts';
import { type TrialServer, toolBox } from '../../../trials/tools.ts';
import type { Connected, RunServers } from '../../execution/run-servers.ts';
import { withServerSlots } from '../../execution/server-slots.ts';
import { type Spending } from '../../model-calls/meter.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { type OpenModel, openModel } from '../../model-calls/open-model.ts';
import { noModel, type PlannedCase, type PlannedVariant } from '../snapshot.ts';
import { trialPlan } from '../trial-plan.ts';
import { type StoredRecording, TrialMedia } from './media.ts';
import type { Progress } from './progress.ts';
import type { RunInProcess, RunsInProcess } from './run-in-process.ts';

export interface TrialParts extends ModelParts {
  backgroundThrottle: BackgroundThrottle;
  runs: RunsInProcess;
  servers: RunServers;
  /** Limits within this process. */
  inProcess: KeyedSemaphore;
  progress: Progress;
}

interface Plan {
  case: PlannedCase;
  variant: PlannedVariant;
  /** The steps and checks. */
  trial: TrialPlan;
}

/** A trial that has ended and been judged, but is not stored yet. */
export interface ConductedTrial {
  run: RunInProcess;
  plan: Plan;
  status: TrialStatus;
  startedAt: number;
  finishedAt: number;
  record: TrialRecord | undefined;
  setup: { attempts: SetupAttempt[]; failure?: SetupFailure };
  grade: Grade;
  /** Set if grading itself threw. */
  graderError?: string;
  error: string | undefined;
  spending: Spending;
  /** Widget recordings, already stored as blobs. */
  media: readonly StoredRecording[];
}

class TrialTimeout extends Error {}

/** Runs one trial, from connecting its servers to its grade. Rejects only if the trial must be retried. */
export async function conductTrial(
  parts: TrialParts,
  run: RunInProcess,
  row: TrialRow,
  lease: AbortSignal,
): Promise<ConductedTrial> {
  const plan = planOf(run, row);
  const { inProcess, slots, services } = parts;
  const { evalTrials, evalTrialsTotal } = services.config;
  return inProcess.run('trials', evalTrials, lease, () =>
    withServerSlots(parts, run.servers, lease, () =>
      slots.run('trials', evalTrialsTotal, lease, () => conductInSlots(parts, row, run, plan, lease)),
    ),
  );
}

function planOf(run: RunInProcess, row: TrialRow): Plan {
  const planned = run.cases.get(row.caseId);
  const variant = planned?.variants[row.variant];
  if (!planned || !variant) throw new Error(`the plan of the run does not hold the trial ${row.id}`);
  return { case: planned, variant, trial: trialPlan(planned, run.snapshot) };
}

async function conductInSlots(
  parts: TrialParts,
  row: TrialRow,
  run: RunInProcess,
  plan: Plan,
  lease: AbortSignal,
): Promise<ConductedTrial> {
  const { services, progress } = parts;
  const { clock, config } = services;
  const startedAt = clock();
  progress.add(row.id, startedEvent(row, run, plan, startedAt));
  const deadline = new Deadline({
    timeout: config.evalTrialTimeout * 1000,
    signal: lease,
    timedOut: () => new TrialTimeout('the trial took too long'),
    cancelled: () => lease.reason as Error,
  });
  try {
    const ran = await attempt(parts, row, run, plan, deadline.signal);
    lease.throwIfAborted();
    const timedOut = deadline.reason instanceof TrialTimeout;
    return finished(run, plan, startedAt, clock(), ran, timedOut, config.evalTrialTimeout);
  } finally {
    deadline.end();
  }
}

/** Result of a trial whose every attempt crashed its process. */
export async function abandonedTrial(
  parts: TrialParts,
  row: TrialRow,
  message: string,
): Promise<ConductedTrial> {
  const run = await parts.runs.get(row.runId);
  const plan = planOf(run, row);
  const now = parts.services.clock();
  const spending: Spending = { calls: 0, costMicros: undefined, billedMicros: 0 };
  const trial = finished(run, plan, now, now, { setup: { attempts: [] }, spending }, false, 0);
  return { ...trial, error: message };
}

interface Ran {
  record?: TrialRecord;
  setup: ConductedTrial['setup'];
  spending: Spending;
  /** Set if connecting to the model failed. */
  modelFailure?: ModelFailure;
  media?: readonly StoredRecording[];
}

async function attempt(
  parts: TrialParts,
  row: TrialRow,
  run: RunInProcess,
  { case: planned, variant, trial }: Plan,
  signal: AbortSignal,
): Promise<Ran> {
  const { services, progress } = parts;
  const none: Spending = { calls: 0, costMicros: 0, billedMicros: 0 };
  const connected = await connectedWithin(parts, run, signal);
  if (!connected) return { setup: { attempts: [] }, spending: none };
  if ('failure' in connected)
    return { setup: { attempts: connected.attempts, failure: connected.failure }, spending: none };
  const setup = { attempts: connected.attempts };
  let model: OpenModel | undefined;
  try {
    if (variant.provider !== noModel.provider) model = await openModel(parts, run, row.id, variant);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    return { setup, spending: none, modelFailure: error };
  }
  const { snapshot } = run;
  const media = new TrialMedia(services, run);
  const record = await runTrial({
    steps: planned.steps,
    box: toolBox(
      inTurns(connected.servers, () => parts.backgroundThrottle.admit(run.organizationId)),
      skillTools(snapshot.skills),
    ),
    model,
    system: snapshot.systemPrompt,
    temperature: snapshot.temperature,
    ...(needsWidgets(trial) && {
      widgets: {
        owner: run.organizationId,
        browsers: services.browsers,
        openAiCompat: snapshot.connection.openAiWidgets,
        keep: (part) => media.keep(part),
        keepPicture: (png) => media.keepPicture(png),
      },
    }),
    clock: services.clock,
    signal,
    onProgress: (step) =>
      progress.add(row.id, {
        type: 'trial.step',
        runId: run.id,
        at: services.clock(),
        iterationId: row.id,
        ...step,
      }),
  });
  // The model provider failed, not the trial: rethrow, so that the trial is retried.
  if (model?.trouble && !signal.aborted) throw model.trouble;
  return { record, setup, spending: model?.spending ?? none, media: media.kept };
}

/** Waits for a turn before and after each tool call: sending it and handling its result both take CPU time. */
function inTurns(servers: readonly TrialServer[], turn: () => Promise<void>): TrialServer[] {
  return servers.map((server) => ({
    ...server,
    call: async (...asked) => {
      await turn();
      const outcome = await server.call(...asked);
      await turn();
      return outcome;
    },
  }));
}

/**
 * Connects the servers within the trial's time limit. Trials of a run share the connections, so one trial's timeout
 * does not cancel them. Undefined on timeout.
 */
async function connectedWithin(
  { servers }: TrialParts,
  run: RunInProcess,
  signal: AbortSignal,
): Promise<Connected | undefined> {
  try {
    return await unlessAborted(servers.get(run), signal);
  } catch (error) {
    if (signal.reason instanceof TrialTimeout) return undefined;
    throw error;
  }
}

function finished(
  run: RunInProcess,
  plan: Plan,
  startedAt: number,
  finishedAt: number,
  { record, setup, spending, modelFailure, media = [] }: Ran,
  timedOut: boolean,
  seconds: number,
): ConductedTrial {
  const failure = record?.modelFailure ?? modelFailure;
  const status = statusOf(record, setup, timedOut);
  const error =
    setup.failure?.message ??
    (timedOut ? `The trial took longer than ${seconds} s` : (failure?.message ?? record?.error));
  const outcome: TrialOutcome = {
    status,
    evidence: record?.evidence ?? noEvidence,
    steps: record?.steps ?? [],
    ...(failure && { modelFailure: { message: failure.message } }),
    ...(setup.failure && { setupFailure: setup.failure }),
    ...(record?.finish !== undefined && { finishReason: record.finish }),
  };
  const judged = judge(plan.trial, outcome);
  return { run, plan, status, startedAt, finishedAt, record, setup, ...judged, error, spending, media };
}

/** An exception in the grader yields an ungraded result with the error; the trial does not fail for it. */
function judge(plan: TrialPlan, outcome: TrialOutcome): { grade: Grade; graderError?: string } {
  try {
    return { grade: gradeTrial(plan, outcome) };
  } catch (error) {
    const message = redact(error instanceof Error ? error.message : String(error)).slice(0, 500);
    return { grade: ungraded(message), graderError: message };
  }
}

/** Grade of a trial the grader could not judge: no result, attributed to the evaluator. */
function ungraded(message: string): Grade {
  return {
    result: null,
    turns: [],
    rows: [],
    scores: [],
    evaluationConfig: { hash: '', definitions: [] },
    evaluatorError: true,
    evaluatorErrors: [message],
    stageResults: [],
    failureCategory: 'evaluator',
    stageAnalyzerVersion: 0,
    expectedToolCalls: [],
    actualToolCalls: [],
  };
}

type EndedStatus = 'completed' | 'failed' | 'timed_out' | 'setup_failed';

function statusOf(
  record: TrialRecord | undefined,
  { failure }: ConductedTrial['setup'],
  timedOut: boolean,
): EndedStatus {
  if (failure) return 'setup_failed';
  if (timedOut) return 'timed_out';
  return record?.end === 'completed' ? 'completed' : 'failed';
}

const absent = { state: 'absent', items: [] } as const;
const noEvidence: TrialOutcome['evidence'] = {
  turns: [],
  toolCalls: [],
  toolErrors: [],
  finalText: '',
  renders: [],
  browserAvailable: false,
  toolResults: absent,
  timings: absent,
  inventory: absent,
  declarations: absent,
};

function startedEvent(
  row: TrialRow,
  run: RunInProcess,
  { case: planned, variant }: Plan,
  at: number,
): RunEvent {
  return {
    type: 'trial.started',
    runId: run.id,
    at,
    iterationId: row.id,
    testCaseId: planned.id,
    title: planned.title,
    iterationNumber: row.number,
    model: variant.model,
  };
}
