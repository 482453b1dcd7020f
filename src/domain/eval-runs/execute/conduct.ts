import type { RunEvent } from '../../../contract/eval-iterations.ts';
import {
  type Grade,
  gradeTrial,
  looksAtWidgets,
  type SetupAttempt,
  type SetupFailure,
  type TrialOutcome,
  type TrialPlan,
} from '../../../evaluation/index.ts';
import { unlessAborted } from '../../../models/abort.ts';
import { ModelFailure } from '../../../models/failure.ts';
import type { Slots } from '../../../models/slots.ts';
import type { Courtesy } from '../../../platform/courtesy.ts';
import type { TrialRow, TrialStatus } from '../../../platform/database/queries/eval-trials.ts';
import type { SharedSlots } from '../../../platform/leases/shared-slots.ts';
import { redact } from '../../../platform/log.ts';
import { runTrial, type TrialRecord } from '../../../trials/run-trial.ts';
import { skillTools } from '../../../trials/skills.ts';
import { type TrialServer, toolBox } from '../../../trials/tools.ts';
import type { Services } from '../../context.ts';
import { noModel, type PlannedCase, type PlannedVariant } from '../snapshot.ts';
import { trialPlan } from '../trial-plan.ts';
import { type AskedModel, askModel, type Spending } from './ask-model.ts';
import { Films, type KeptFilm } from './films.ts';
import type { CallLedger } from './ledger.ts';
import type { ModelPauses } from './pauses.ts';
import type { Progress } from './progress.ts';
import type { RunInProcess, RunsInProcess } from './run-in-process.ts';
import type { Connected, RunServers } from './servers.ts';

export interface TrialParts {
  services: Services;
  runs: RunsInProcess;
  servers: RunServers;
  /** Of this process. */
  inProcess: Slots;
  /** Of all processes. */
  slots: SharedSlots;
  pauses: ModelPauses;
  ledger: CallLedger;
  progress: Progress;
  courtesy: Courtesy;
}

/** A trial that has ended and was judged; nothing of it is written yet. */
export interface ConductedTrial {
  run: RunInProcess;
  plan: { case: PlannedCase; variant: PlannedVariant };
  status: TrialStatus;
  startedAt: number;
  finishedAt: number;
  record: TrialRecord | undefined;
  setup: { attempts: SetupAttempt[]; failure?: SetupFailure };
  grade: Grade;
  /** Why the judging itself failed. */
  graderError?: string;
  error: string | undefined;
  spending: Spending;
  /** Recordings of widgets, stored already. */
  films: readonly KeptFilm[];
}

class TrialTimeout extends Error {}

/** Runs one trial from its connections to its grade. Rejects only when it has to be tried again. */
export async function conductTrial(
  parts: TrialParts,
  row: TrialRow,
  lease: AbortSignal,
): Promise<ConductedTrial> {
  const { run, plan } = await planOf(parts, row);
  const { config } = parts.services;
  const within = <T>(pools: readonly [string, number][], work: () => Promise<T>): Promise<T> => {
    const [next, ...rest] = pools;
    return next ? parts.slots.run(next[0], next[1], lease, () => within(rest, work)) : work();
  };
  // Everybody takes them in the same order, so that no two wait for each other.
  const servers = run.snapshot.servers.map(({ id }) => id).sort();
  const pools: [string, number][] = [
    ...servers.map((id): [string, number] => [`server ${id}`, config.evalServerTrials]),
    ['trials', config.evalTrialsTotal],
  ];
  return parts.inProcess.run('trials', config.evalTrials, lease, () =>
    within(pools, () => inSlots(parts, row, run, plan, lease)),
  );
}

async function planOf({ runs }: TrialParts, row: TrialRow): Promise<Pick<ConductedTrial, 'run' | 'plan'>> {
  const run = await runs.get(row.runId);
  const planned = run.cases.get(row.caseId);
  const variant = planned?.variants[row.variant];
  if (!planned || !variant) throw new Error(`the plan of the run does not hold the trial ${row.id}`);
  return { run, plan: { case: planned, variant } };
}

async function inSlots(
  parts: TrialParts,
  row: TrialRow,
  run: RunInProcess,
  plan: ConductedTrial['plan'],
  lease: AbortSignal,
): Promise<ConductedTrial> {
  const { services, progress } = parts;
  const { clock, config } = services;
  const startedAt = clock();
  progress.add(row.id, startedEvent(row, run, plan, startedAt));
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new TrialTimeout('the trial took too long')),
    config.evalTrialTimeout * 1000,
  );
  const stop = (): void => limit.abort(lease.reason);
  lease.addEventListener('abort', stop);
  if (lease.aborted) stop();
  try {
    const ran = await attempt(parts, row, run, plan, limit.signal);
    lease.throwIfAborted();
    const timedOut = limit.signal.aborted && limit.signal.reason instanceof TrialTimeout;
    return finished(run, plan, startedAt, clock(), ran, timedOut, config.evalTrialTimeout);
  } finally {
    clearTimeout(timer);
    lease.removeEventListener('abort', stop);
  }
}

/** What is recorded of a trial whose every attempt took its process down. */
export async function abandonedTrial(
  parts: TrialParts,
  row: TrialRow,
  message: string,
): Promise<ConductedTrial> {
  const { run, plan } = await planOf(parts, row);
  const now = parts.services.clock();
  const spending: Spending = { calls: 0, costMicros: undefined, billedMicros: 0 };
  const trial = finished(run, plan, now, now, { setup: { attempts: [] }, spending }, false, 0);
  return { ...trial, error: message };
}

interface Ran {
  record?: TrialRecord;
  setup: ConductedTrial['setup'];
  spending: Spending;
  /** A model that cannot even be connected to. */
  modelFailure?: ModelFailure;
  films?: readonly KeptFilm[];
}

async function attempt(
  parts: TrialParts,
  row: TrialRow,
  run: RunInProcess,
  { case: planned, variant }: ConductedTrial['plan'],
  signal: AbortSignal,
): Promise<Ran> {
  const { services, progress } = parts;
  const none: Spending = { calls: 0, costMicros: 0, billedMicros: 0 };
  const connected = await connectedWithin(parts, run, signal);
  if (!connected) return { setup: { attempts: [] }, spending: none };
  if ('failure' in connected)
    return { setup: { attempts: connected.attempts, failure: connected.failure }, spending: none };
  const setup = { attempts: connected.attempts };
  let asked: AskedModel | undefined;
  try {
    if (variant.provider !== noModel.provider) asked = await askModel(parts, run, row.id, variant, signal);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    return { setup, spending: none, modelFailure: error };
  }
  const { snapshot } = run;
  const films = new Films(services, run);
  const record = await runTrial({
    steps: planned.steps,
    box: toolBox(
      inTurns(connected.servers, () => parts.courtesy.turn(run.organizationId)),
      skillTools(snapshot.skills),
    ),
    model: asked?.model,
    system: snapshot.systemPrompt,
    temperature: snapshot.temperature,
    callModel: asked?.callModel,
    ...(looksAtWidgets(trialPlan(planned, snapshot)) && {
      widgets: {
        browsers: services.browsers,
        openAiCompat: snapshot.connection.openAiWidgets,
        keep: (part) => films.keep(part),
        keepPicture: (png) => films.keepPicture(png),
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
  // The trial is not to blame, and is tried again.
  if (asked?.trouble && !signal.aborted) throw asked.trouble;
  return { record, setup, spending: asked?.spending ?? none, films: films.kept };
}

/** Each call is a piece of work, and so is what comes of it. */
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

/** All trials of the run wait for the same connections, each as long as it may take. Undefined when that was too short. */
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
  plan: ConductedTrial['plan'],
  startedAt: number,
  finishedAt: number,
  { record, setup, spending, modelFailure, films = [] }: Ran,
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
  const judged = judge(trialPlan(plan.case, run.snapshot), outcome);
  return { run, plan, status, startedAt, finishedAt, record, setup, ...judged, error, spending, films };
}

/** Whatever goes wrong in the judging is no fault of the trial. */
function judge(plan: TrialPlan, outcome: TrialOutcome): { grade: Grade; graderError?: string } {
  try {
    return { grade: gradeTrial(plan, outcome) };
  } catch (error) {
    const message = redact(error instanceof Error ? error.message : String(error)).slice(0, 500);
    return { grade: ungraded(message), graderError: message };
  }
}

/** A trial that nobody could judge: no result, and the evaluator's fault. */
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
  { case: planned, variant }: ConductedTrial['plan'],
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
