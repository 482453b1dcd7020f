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
import { ModelFailure } from '../../../models/failure.ts';
import type { ModelRoute } from '../../../models/resolve.ts';
import { redact } from '../../../platform/log.ts';
import { type Asker, askModel, type ModelParts } from '../execute/ask-model.ts';
import type { Trace } from '../read/trace.ts';

/** Milliseconds of one answer, and its length in tokens, which for some models includes what they think. */
const longestCall = 90_000;
const mostTokens = 8_192;

/** Who judges. Without a route words are counted. */
export interface Judge {
  parts: ModelParts;
  asker: Asker;
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

/** The provider will not answer this deployment whatever it is asked. */
export class JudgeUnavailable extends Error {
  readonly code: string;

  constructor({ kind, message }: ModelFailure) {
    super(message);
    this.code = `model_${kind.replaceAll('-', '_')}`;
  }
}

/** Judges one trial by what was recorded of it. Rejects when it has to be tried again, or nothing can be judged. */
export async function measureTrial(
  judge: Judge,
  trialId: string,
  task: JudgedTask,
  trace: Trace | undefined,
  signal: AbortSignal,
): Promise<MeasuredTrial> {
  if (!trace) return notMeasured('no_evidence', 'Nothing was recorded of this trial');
  const evidence = judgeEvidence(trace);
  const { route } = judge;
  const { measurement, billedMicros } = route
    ? await askJudge(judge, route, trialId, task, evidence, signal)
    : { measurement: judgeLexically(task, evidence), billedMicros: 0 };
  return {
    goal: {
      ...measurement.goal,
      ...template,
      gradingKey: gradingKeyOf(route?.id ?? lexicalJudge, task, evidence.hash),
      evidenceHash: evidence.hash,
      evidenceManifest: evidence.manifest,
    },
    groundedness: measurement.groundedness,
    billedMicros,
  };
}

const template = { judgeTemplateVersion, judgeTemplateHash };

/** A trial that a judge is not asked about. */
export function notMeasured(code: string, why: string): MeasuredTrial {
  const { goal, groundedness } = unmeasured('skipped', code, why);
  return { goal: { ...goal, ...template }, groundedness, billedMicros: 0 };
}

async function askJudge(
  { parts, asker }: Judge,
  route: ModelRoute,
  trialId: string,
  task: JudgedTask,
  evidence: JudgeEvidence,
  signal: AbortSignal,
): Promise<{ measurement: Measurement; billedMicros: number }> {
  const { system, user } = judgePrompt(task, evidence);
  const asked = await askModel(parts, asker, trialId, { model: route.id, provider: route.provider }, signal);
  const billed = (measurement: Measurement) => ({
    measurement,
    billedMicros: asked.spending.billedMicros,
  });
  try {
    const { content } = await asked.callModel(async () =>
      asked.model.doGenerate({
        prompt: [
          { role: 'system', content: system },
          { role: 'user', content: [{ type: 'text', text: user }] },
        ],
        responseFormat: { type: 'json' },
        temperature: 0,
        maxOutputTokens: mostTokens,
        abortSignal: AbortSignal.any([signal, AbortSignal.timeout(longestCall)]),
      }),
    );
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return billed(readJudgeAnswer(text, task.rubric));
  } catch (error) {
    signal.throwIfAborted();
    if (asked.trouble) throw asked.trouble;
    if (!(error instanceof ModelFailure)) throw error;
    if (error.kind === 'unauthorized' || error.kind === 'quota') throw new JudgeUnavailable(error);
    const code = `model_${error.kind.replaceAll('-', '_')}`;
    return billed(unmeasured('error', code, `The judge failed: ${redact(error.message).slice(0, 500)}`));
  }
}
