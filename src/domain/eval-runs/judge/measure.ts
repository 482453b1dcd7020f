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
  unmeasured,
} from '../../../evaluation/index.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import { KeyedSemaphore } from '../../../platform/flow/semaphore.ts';
import { readTrace } from '../../artifacts/traces.ts';
import { askJudge, type Judge, type Question } from '../../judging/ask-judge.ts';

/** A measurement with the judge version and evidence hash it is based on. */
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

/** Judges one trial by its recorded trace. Rejects if it must be retried, or if no trial can be judged. */
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

/** A question for a model, or a measurement made without one. */
type Seen = Pick<JudgeEvidence, 'hash' | 'manifest'> & (Question | { counted: Measurement });

/** Traces too long for their rows are loaded one at a time per process, to bound memory. */
const large = new KeyedSemaphore();

/**
 * Builds the judge's question from a trial. Traces may be huge, so only the question is kept while waiting for the
 * model.
 */
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

/** Result of a trial the judge skips. */
export function notMeasured(code: string, why: string): MeasuredTrial {
  const { goal, groundedness } = unmeasured('skipped', code, why);
  return { goal: { ...goal, ...template }, groundedness, billedMicros: 0 };
}
