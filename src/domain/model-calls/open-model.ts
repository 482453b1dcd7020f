import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { connectModel } from '../../models/connect.ts';
import { ModelFailure, unlessAborted } from '../../models/failure.ts';
import { attemptsOf, type CallableModel, type ModelAnswer, type ModelCall } from '../../models/model-call.ts';
import { type ApiKeys, type ModelRoute, resolveModel } from '../../models/resolve.ts';
import { withRetries } from '../../models/retry.ts';
import type { Reader } from '../../models/streamed.ts';
import type { BackgroundThrottle } from '../../platform/flow/background-throttle.ts';
import type { DistributedSemaphore } from '../../platform/leases/distributed-semaphore.ts';
import type { Services } from '../context/context.ts';
import { SpendCapReached } from '../limits/spend-cap.ts';
import type { CallLedger, Purpose } from './ledger.ts';
import { meterOf, type Spending } from './meter.ts';
import { MeteredModel } from './metered-model.ts';
import type { ModelPauses } from './pauses.ts';

/** Dependencies of model calls, shared in a process. */
export interface ModelParts {
  services: Services;
  slots: Pick<DistributedSemaphore, 'run'>;
  pauses: Pick<ModelPauses, 'wait' | 'pause'>;
  ledger: CallLedger;
  /** Set for background work. */
  backgroundThrottle?: BackgroundThrottle;
}

/**
 * On whose behalf and why a model is called; `id` is the run or session that the calls are recorded with, or null.
 * Connected models are cached per object, not by equality.
 */
export interface Asker {
  id: string | null;
  organizationId: string;
  projectId: string;
  apiKeys: ApiKeys;
  purpose: Purpose;
}

export interface Variant {
  model: string;
  provider: string;
}

/** Opens a model whose calls are recorded with the trial or session. */
export async function openModel(
  parts: ModelParts,
  asker: Asker,
  trialId: string | null,
  variant: Variant,
  { retries = true }: { retries?: boolean } = {},
): Promise<OpenModel> {
  return new OpenModel({ parts, asker, trialId, retries, ...(await connected(parts, asker, variant)) });
}

interface Connected {
  route: ModelRoute;
  model: LanguageModelV3;
}

const models = new WeakMap<Asker, Map<string, Promise<Connected>>>();

/** The model of a variant, connected once per `Asker` object, such as a run loaded in this process. */
function connected({ services }: ModelParts, asker: Asker, variant: Variant): Promise<Connected> {
  const known = models.get(asker) ?? new Map<string, Promise<Connected>>();
  models.set(asker, known);
  const key = JSON.stringify(variant);
  const connect = async (): Promise<Connected> => {
    const { route, problem } = resolveModel(services.models, variant, asker.apiKeys);
    if (problem) throw new ModelFailure('bad-request', problem.message);
    return { route, model: await connectModel(route) };
  };
  const connecting = known.get(key) ?? connect();
  known.set(key, connecting);
  connecting.catch(() => known.delete(key));
  return connecting;
}

interface OpenModelOptions extends Connected {
  parts: ModelParts;
  asker: Asker;
  trialId: string | null;
  retries: boolean;
}

export class OpenModel implements CallableModel {
  readonly modelId: string;
  readonly spending: Spending = { calls: 0, costMicros: 0, billedMicros: 0 };
  /** An internal error during a call, such as a database outage. */
  trouble: Error | undefined;
  private readonly options: OpenModelOptions;
  /** Undefined for the offline model, which costs nothing. */
  private readonly metered: MeteredModel | undefined;

  constructor(options: OpenModelOptions) {
    const { parts, asker, trialId, route, model } = options;
    this.modelId = model.modelId;
    this.options = options;
    if (route.billed === 'free') return;
    const { id: runId, organizationId, projectId, purpose } = asker;
    this.metered = new MeteredModel(
      model,
      meterOf({
        ledger: parts.ledger,
        log: parts.services.log,
        caller: { organizationId, projectId, runId, trialId },
        purpose,
        route,
        spending: this.spending,
        noteTrouble: (work) => this.notingTrouble(work),
      }),
    );
  }

  /** Each attempt takes a slot of the model, is reserved, booked and logged. */
  async generate(call: ModelCall, reader?: Reader): Promise<ModelAnswer> {
    const { parts, asker, route, retries } = this.options;
    const { services, slots, backgroundThrottle } = parts;
    const signal = call.abortSignal;
    await backgroundThrottle?.admit(asker.organizationId);
    const attempt = this.attemptsOf(call, reader);
    // The offline model needs no slot and no retries.
    if (route.wire === 'rehearsal') return attempt();
    const permits = route.limits.concurrency ?? services.config.modelConcurrency;
    const inSlot = (): Promise<ModelAnswer> => slots.run(`model ${route.pool}`, permits, signal, attempt);
    return whenThereIsRoom(() => (retries ? this.retried(inSlot, signal) : inSlot()), signal);
  }

  private retried(attempt: () => Promise<ModelAnswer>, signal: AbortSignal): Promise<ModelAnswer> {
    const { parts, route } = this.options;
    const { pauses, services } = parts;
    return withRetries({
      attempt,
      pool: route.pool,
      gate: {
        wait: (pool, ends) => this.notingTrouble(pauses.wait(pool, ends)),
        pause: (pool, until) => this.notingTrouble(pauses.pause(pool, until)),
      },
      clock: services.clock,
      sleep: (ms, ends) => delay(ms, undefined, { signal: ends }),
      random: Math.random,
      signal,
    });
  }

  private attemptsOf(call: ModelCall, reader: Reader | undefined): () => Promise<ModelAnswer> {
    const { metered, spending, options } = this;
    const attempt = attemptsOf(metered ?? options.model, call, reader, options.parts.services.clock);
    return async () => {
      spending.calls++;
      try {
        return await attempt();
      } finally {
        // A call that outlives its caller keeps its slot.
        await metered?.idle();
      }
    };
  }

  private async notingTrouble<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SpendCapReached))
        this.trouble ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}

/** Poll interval and time limit for room under a cap, in milliseconds. */
const roomAfter = 100;
const roomWithin = 60_000;

/** Retries while only calls under way exceed the cap. Waits outside the slot, which others may need. */
async function whenThereIsRoom<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const until = performance.now() + roomWithin;
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SpendCapReached && error.isCrowded) || performance.now() > until) throw error;
      await unlessAborted(delay(roomAfter * (1 + Math.random()), undefined, { signal }), signal);
    }
}
