import {
  type JudgedTask,
  type judgePrompt,
  type Measurement,
  readJudgeAnswer,
  unmeasured,
} from '../../evaluation/index.ts';
import type { ModelCatalog } from '../../models/catalog.ts';
import { ModelFailure, type ModelFailureKind } from '../../models/failure.ts';
import { type ApiKeys, hostedRoute, type ModelRoute, resolveModel } from '../../models/resolve.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import { redact } from '../../platform/log.ts';
import { askForJson } from '../model-calls/ask-for-json.ts';
import { type Asker, type ModelParts, openModel } from '../model-calls/open-model.ts';

/** Milliseconds and tokens per answer; for some models, tokens include reasoning. */
const callTimeout = 90_000;
const maxTokens = 8_192;

/** The judge of a run. Without a route, the lexical judge counts words. */
export interface Judge {
  parts: ModelParts;
  asker: Asker & { id: string };
  route: ModelRoute | undefined;
}

export interface Question {
  route: ModelRoute;
  prompt: ReturnType<typeof judgePrompt>;
}
/** No question to this provider can succeed: it rejects this deployment, or the spend cap is reached. */
export class JudgeUnavailable extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }

  /** `credits` if the budget is used up, otherwise the kind of the model failure. */
  get code(): string {
    const { kind } = this.failure;
    return kind === 'spend-cap' ? 'credits' : `model_${kind.replaceAll('-', '_')}`;
  }
}

const unavailable: ReadonlySet<ModelFailureKind> = new Set(['unauthorized', 'quota', 'spend-cap']);

/**
 * The judge's model: the wanted one, otherwise the first this deployment hosts. Undefined without a language model,
 * or if the offline one is wanted: then words are counted.
 */
export function judgingRoute(
  models: ModelCatalog,
  wanted: string,
  apiKeys: ApiKeys = {},
): ModelRoute | undefined {
  const { route } = resolveModel(models, { model: wanted }, apiKeys);
  if (route) return route.wire === 'rehearsal' ? undefined : route;
  return hostedRoute(models);
}

/** Asks the judge once. Rejects if the question must be retried or cannot be asked at all. */
export async function askJudge(
  { parts, asker }: Judge,
  { route, prompt }: Question,
  trialId: string,
  rubric: JudgedTask['rubric'],
  signal: AbortSignal,
): Promise<{ measurement: Measurement; billedMicros: number }> {
  const model = await openModel(parts, asker, trialId, { model: route.id, provider: route.provider });
  const billed = (measurement: Measurement) => ({
    measurement,
    billedMicros: model.spending.billedMicros,
  });
  try {
    const text = await askForJson(model, prompt, {
      temperature: 0,
      maxOutputTokens: maxTokens,
      abortSignal: AbortSignal.any([signal, timeoutSignal(callTimeout)]),
    });
    return billed(readJudgeAnswer(text, rubric));
  } catch (error) {
    signal.throwIfAborted();
    if (model.trouble) throw model.trouble;
    if (!(error instanceof ModelFailure)) throw error;
    if (unavailable.has(error.kind)) throw new JudgeUnavailable(error);
    const code = `model_${error.kind.replaceAll('-', '_')}`;
    return billed(unmeasured('error', code, `The judge failed: ${redact(error.message).slice(0, 500)}`));
  }
}
