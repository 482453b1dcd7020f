import {
  type EvidenceManifest,
  type GoalMeasurement,
  type GroundednessMeasurement,
  gradingKeyOf,
  type JudgedTask,
  type JudgeEvidence,
  judgeEvidence,
  judgeLexically,
  judgePrompt,
  judgeTemplateHash,
  judgeTemplateVersion,
  lexicalJudge,
  type Measurement,
  readJudgeAnswer,
  unmeasured,
} from '../../../evaluation/index.ts';
import { ModelFailure, type ModelFailureKind } from '../../../models/failure.ts';
import type { ModelRoute } from '../../../models/resolve.ts';
import { Slots } from '../../../models/slots.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { redact } from '../../../platform/log.ts';
import { timeLimit } from '../../../platform/time-limit.ts';
import { type Asker, askForJson, askModel, type ModelParts } from '../execute/ask-model.ts';
import { readTrace } from '../read/trace.ts';

/** Milliseconds of one answer, and its length in tokens, which for some models includes what they think. */
const longestCall = 90_000;
const mostTokens = 8_192;

/** Who judges. Without a route words are counted. */
export interface Judge {
  parts: ModelParts;
  asker: Asker & { id: string };
  route: ModelRoute | undefined;
}

/** A measurement with what it was made by and from. */
export interface StoredGoal extends GoalMeasurement {
  judgeTemplateVersion: number;
  judgeTemplateHash: string;
  gradingKey?: string;
  evidenceHash?: string;
  evidenceManifest?: EvidenceManifest;
}

export interface MeasuredTrial {
  goal: StoredGoal;
  groundedness: GroundednessMeasurement;
  billedMicros: number;
}

/** The provider will not answer this deployment whatever it is asked, or is not asked because of what it costs. */
export class JudgeUnavailable extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }

  /** The same word where there was nothing left to begin with. */
  get code(): string {
    const { kind } = this.failure;
    return kind === 'spend-cap' ? 'credits' : `model_${kind.replaceAll('-', '_')}`;
  }
}

const unavailable: ReadonlySet<ModelFailureKind> = new Set(['unauthorized', 'quota', 'spend-cap']);

/** Judges one trial by what was recorded of it. Rejects when it has to be tried again, or nothing can be judged. */
export async function measureTrial(
  judge: Judge,
  trialId: string,
  task: JudgedTask,
  signal: AbortSignal,
): Promise<MeasuredTrial> {
  const seen = await lookAt(judge, trialId, task, signal);
  if (!seen) return notMeasured('no_evidence', 'Nothing was recorded of this trial');
  const { route } = judge;
  const { measurement, billedMicros } =
    'counted' in seen
      ? { measurement: seen.counted, billedMicros: 0 }
      : await askJudge(judge, seen, trialId, task.rubric, signal);
  return {
    goal: {
      ...measurement.goal,
      ...template,
      gradingKey: gradingKeyOf(route?.id ?? lexicalJudge, task, seen.hash),
      evidenceHash: seen.hash,
      evidenceManifest: seen.manifest,
    },
    groundedness: measurement.groundedness,
    billedMicros,
  };
}

/** A question for a model, or what was counted without one. */
interface Question {
  route: ModelRoute;
  prompt: ReturnType<typeof judgePrompt>;
}
type Seen = Pick<JudgeEvidence, 'hash' | 'manifest'> & (Question | { counted: Measurement });

/** Traces that are too long for their rows: one at a time in a process. */
const large = new Slots();

/** What a judge needs of a trial. Its trace may be huge, and nothing of it is kept while a judge is waited for. */
async function lookAt(
  { parts: { services }, route }: Judge,
  trialId: string,
  task: JudgedTask,
  signal: AbortSignal,
): Promise<Seen | undefined> {
  const stored = await services.db.row(trials.findTrace, { id: trialId });
  const look = async (): Promise<Seen | undefined> => {
    const { trace } = stored ? await readTrace(services, stored) : {};
    if (!trace) return undefined;
    const evidence = judgeEvidence(trace);
    const { hash, manifest } = evidence;
    return route
      ? { hash, manifest, route, prompt: judgePrompt(task, evidence) }
      : { hash, manifest, counted: judgeLexically(task, evidence) };
  };
  return large.run('trace', (stored?.blobId ?? null) === null ? undefined : 1, signal, look);
}

const template = { judgeTemplateVersion, judgeTemplateHash };

/** A trial that a judge is not asked about. */
export function notMeasured(code: string, why: string): MeasuredTrial {
  const { goal, groundedness } = unmeasured('skipped', code, why);
  return { goal: { ...goal, ...template }, groundedness, billedMicros: 0 };
}

/** One answer of the judge about what it is shown. Rejects when it has to be asked again, or cannot be asked at all. */
export async function askJudge(
  { parts, asker }: Judge,
  { route, prompt }: Question,
  trialId: string,
  rubric: JudgedTask['rubric'],
  signal: AbortSignal,
): Promise<{ measurement: Measurement; billedMicros: number }> {
  const asked = await askModel(parts, asker, trialId, { model: route.id, provider: route.provider }, signal);
  const billed = (measurement: Measurement) => ({
    measurement,
    billedMicros: asked.spending.billedMicros,
  });
  try {
    const text = await askForJson(asked, prompt, {
      temperature: 0,
      maxOutputTokens: mostTokens,
      abortSignal: AbortSignal.any([signal, timeLimit(longestCall)]),
    });
    return billed(readJudgeAnswer(text, rubric));
  } catch (error) {
    signal.throwIfAborted();
    if (asked.trouble) throw asked.trouble;
    if (!(error instanceof ModelFailure)) throw error;
    if (unavailable.has(error.kind)) throw new JudgeUnavailable(error);
    const code = `model_${error.kind.replaceAll('-', '_')}`;
    return billed(unmeasured('error', code, `The judge failed: ${redact(error.message).slice(0, 500)}`));
  }
}
