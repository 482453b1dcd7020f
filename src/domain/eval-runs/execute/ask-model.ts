import { setTimeout as delay } from 'node:timers/promises';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import { connectModel } from '../../../models/connect.ts';
import { costMicros } from '../../../models/cost.ts';
import { failureOf, ModelFailure } from '../../../models/failure.ts';
import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import { type PaceGate, withRetries } from '../../../models/retry.ts';
import { tracedCall } from '../../../models/traced-call.ts';
import { usageOf } from '../../../models/usage.ts';
import type { Courtesy } from '../../../platform/courtesy.ts';
import type { SharedSlots } from '../../../platform/leases/shared-slots.ts';
import { redact } from '../../../platform/log.ts';
import type { Services } from '../../context.ts';
import type { CallLedger } from './ledger.ts';
import type { ModelPauses } from './pauses.ts';
import type { RunInProcess } from './run-in-process.ts';

/** What calls of models share in a process. */
export interface ModelParts {
  services: Services;
  slots: Pick<SharedSlots, 'run'>;
  pauses: Pick<ModelPauses, 'wait' | 'pause'>;
  ledger: CallLedger;
  /** Where nobody waits for the answer. */
  courtesy?: Courtesy;
}

/** What the calls of one trial cost. */
export interface Spending {
  calls: number;
  /** Undefined once a call of unknown cost was among them. */
  costMicros: number | undefined;
  /** On keys of this deployment. */
  billedMicros: number;
}

export interface AskedModel {
  model: LanguageModelV3;
  /** Stands around each call: a slot that all processes share, waits, retries and the ledger. */
  callModel: (
    attempt: () => Promise<LanguageModelV3GenerateResult>,
  ) => Promise<LanguageModelV3GenerateResult>;
  spending: Spending;
  /** Calls that were given up, whose cost nobody tells. */
  givenUp: number;
  /** What a call would cost on keys of this deployment. */
  billedFor: (usage: { inputTokens: number; outputTokens: number }) => number;
  /** What went wrong on our side of a call, as while the database is away. */
  trouble?: Error;
}

/** One question that is answered with JSON; the text of the answer. */
export async function askForJson(
  { model, callModel }: AskedModel,
  { system, user }: { system: string; user: string },
  options: Pick<LanguageModelV3CallOptions, 'temperature' | 'maxOutputTokens' | 'abortSignal'>,
): Promise<string> {
  const { content } = await callModel(() =>
    tracedCall(model, () =>
      model.doGenerate({
        prompt: [
          { role: 'system', content: system },
          { role: 'user', content: [{ type: 'text', text: user }] },
        ],
        responseFormat: { type: 'json' },
        ...options,
      }),
    ),
  );
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** On whose behalf a model is asked, for a run or for none. The object itself stands for it: its models are connected once. */
export type Asker = Pick<RunInProcess, 'organizationId' | 'projectId' | 'apiKeys'> & { id: string | null };

const models = new WeakMap<Asker, Map<string, Promise<{ route: ModelRoute; model: LanguageModelV3 }>>>();

/** The model of a variant, connected once for all trials of a run in this process. */
function modelOf(
  { services }: ModelParts,
  run: Asker,
  variant: { model: string; provider: string },
): Promise<{ route: ModelRoute; model: LanguageModelV3 }> {
  const known = models.get(run) ?? new Map<string, Promise<{ route: ModelRoute; model: LanguageModelV3 }>>();
  models.set(run, known);
  const key = JSON.stringify(variant);
  const connect = async (): Promise<{ route: ModelRoute; model: LanguageModelV3 }> => {
    const { route, problem } = resolveModel(services.models, variant, run.apiKeys);
    if (problem) throw new ModelFailure('bad-request', problem.message);
    return { route, model: await connectModel(route) };
  };
  const connected = known.get(key) ?? connect();
  known.set(key, connected);
  connected.catch(() => known.delete(key));
  return connected;
}

export async function askModel(
  parts: ModelParts,
  run: Asker,
  trialId: string | null,
  variant: { model: string; provider: string },
  signal: AbortSignal,
): Promise<AskedModel> {
  const { route, model } = await modelOf(parts, run, variant);
  const { services, slots, pauses, ledger } = parts;
  const spending: Spending = { calls: 0, costMicros: 0, billedMicros: 0 };
  const most = route.limits.concurrency ?? services.config.modelConcurrency;
  const note = (micros: number | undefined): void => {
    if (micros === undefined) spending.costMicros = undefined;
    else if (spending.costMicros !== undefined) spending.costMicros += micros;
    if (route.billed === 'operator') spending.billedMicros += micros ?? 0;
  };
  const ours = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      asked.trouble ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  };
  // Nobody waits for it: a row that stays open says that the call may have been billed.
  const close = (...call: Parameters<CallLedger['close']>): void =>
    void ledger.close(...call).catch((error: Error) => {
      services.log.warn('The end of a model call was not written', { error: redact(error.message) });
    });
  const once = async (
    attempt: () => Promise<LanguageModelV3GenerateResult>,
  ): Promise<LanguageModelV3GenerateResult> => {
    spending.calls++;
    if (route.billed === 'free') return attempt();
    const { id: runId, organizationId, projectId } = run;
    const call = { organizationId, projectId, runId, trialId, model: route.id, billed: route.billed };
    const id = await ours(ledger.open(call));
    try {
      const result = await attempt();
      const usage = usageOf(result.usage);
      const micros = costMicros(usage, route.prices);
      note(micros);
      close(id, 'answered', usage, micros);
      return result;
    } catch (error) {
      const failure = failureOf(error, { signal, now: services.clock() });
      // A call that was given up may have been billed: its row stays open.
      if (failure.kind === 'aborted') {
        note(undefined);
        asked.givenUp++;
      } else close(id, failure.kind, {}, undefined);
      throw failure;
    }
  };
  const gate: PaceGate = {
    wait: (pool, ends) => ours(pauses.wait(pool, ends)),
    pause: (pool, until) => ours(pauses.pause(pool, until)),
  };
  const asked: AskedModel = {
    model,
    spending,
    givenUp: 0,
    billedFor: (usage) => (route.billed === 'operator' ? (costMicros(usage, route.prices) ?? 0) : 0),
    callModel: async (attempt) => {
      await parts.courtesy?.turn(run.organizationId);
      // Nobody else waits for the offline model.
      if (route.wire === 'rehearsal') return once(attempt);
      return withRetries({
        attempt: () => slots.run(`model ${route.pool}`, most, signal, () => once(attempt)),
        pool: route.pool,
        gate,
        clock: services.clock,
        sleep: (ms, ends) => delay(ms, undefined, { signal: ends }),
        random: Math.random,
        signal,
      });
    },
  };
  return asked;
}
