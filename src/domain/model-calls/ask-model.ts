import { setTimeout as delay } from 'node:timers/promises';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import { connectModel, outputTokenLimit } from '../../models/connect.ts';
import { costMicros, maxMicros, sizedMicros } from '../../models/cost.ts';
import { cutOffWords } from '../../models/cut-off.ts';
import { ModelFailure, unlessAborted } from '../../models/failure.ts';
import { type ApiKeys, type ModelRoute, resolveModel } from '../../models/resolve.ts';
import { type PaceGate, withRetries } from '../../models/retry.ts';
import { tracedCall } from '../../models/traced-call.ts';
import type { BackgroundThrottle } from '../../platform/flow/background-throttle.ts';
import type { DistributedSemaphore } from '../../platform/leases/distributed-semaphore.ts';
import { redact } from '../../platform/log.ts';
import type { Services } from '../context/context.ts';
import { SpendCapReached } from '../limits/spend-cap.ts';
import { type CallLedger, type Purpose, reservedFor } from './ledger.ts';
import { type CallEnd, type Meter, MeteredModel } from './metered-model.ts';
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

/** Number and cost of the calls of one `AskedModel`, in millionths of a dollar. */
export interface Spending {
  calls: number;
  /** Undefined if any call had an unknown cost. */
  costMicros: number | undefined;
  /** Billed to this deployment's keys. */
  billedMicros: number;
}

export interface AskedModel {
  /** Each call is reserved, booked and logged. */
  model: LanguageModelV3;
  /** Wraps each call: takes a slot of the model, waits while the provider's rate limit lasts, and retries. */
  callModel: (
    attempt: () => Promise<LanguageModelV3GenerateResult>,
  ) => Promise<LanguageModelV3GenerateResult>;
  /** As `callModel`, without retries. */
  callOnce: AskedModel['callModel'];
  spending: Spending;
  /** An internal error during a call, such as a database outage. */
  trouble?: Error;
}

/** Asks one question with a JSON answer, and returns its text. A truncated answer is a `malformed` failure. */
export async function askForJson(
  { model, callModel }: Pick<AskedModel, 'model' | 'callModel'>,
  { system, user }: { system: string; user: string },
  options: Pick<LanguageModelV3CallOptions, 'temperature' | 'maxOutputTokens' | 'abortSignal'>,
): Promise<string> {
  const asked = callModel(() =>
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
  const { content, finishReason } = await unlessAborted(asked, options.abortSignal);
  const { unified } = finishReason;
  if (unified === 'length' || unified === 'content-filter')
    throw new ModelFailure('malformed', cutOffWords(unified));
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
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

const models = new WeakMap<Asker, Map<string, Promise<{ route: ModelRoute; model: LanguageModelV3 }>>>();

/** The model of a variant, connected once per `Asker` object, such as a run loaded in this process. */
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
  const { services, slots, pauses } = parts;
  const spending: Spending = { calls: 0, costMicros: 0, billedMicros: 0 };
  const permits = route.limits.concurrency ?? services.config.modelConcurrency;
  const ours = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SpendCapReached))
        asked.trouble ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  };
  const metered =
    route.billed === 'free'
      ? undefined
      : new MeteredModel(model, meterOf({ parts, run, trialId, route, spending, ours }));
  const once: AskedModel['callModel'] = async (attempt) => {
    spending.calls++;
    try {
      return await attempt();
    } finally {
      // A call that outlives its caller keeps its slot.
      await metered?.idle();
    }
  };
  const gate: PaceGate = {
    wait: (pool, ends) => ours(pauses.wait(pool, ends)),
    pause: (pool, until) => ours(pauses.pause(pool, until)),
  };
  const inSlot: AskedModel['callModel'] = (attempt) =>
    slots.run(`model ${route.pool}`, permits, signal, () => once(attempt));
  const retried: AskedModel['callModel'] = (attempt) =>
    withRetries({
      attempt: () => inSlot(attempt),
      pool: route.pool,
      gate,
      clock: services.clock,
      sleep: (ms, ends) => delay(ms, undefined, { signal: ends }),
      random: Math.random,
      signal,
    });
  const asked: AskedModel = {
    model: metered ?? model,
    spending,
    callOnce: (attempt) => whenThereIsRoom(() => inSlot(attempt), signal),
    callModel: async (attempt) => {
      await parts.backgroundThrottle?.admit(run.organizationId);
      // The offline model needs no slot and no retries.
      if (route.wire === 'rehearsal') return once(attempt);
      return whenThereIsRoom(() => retried(attempt), signal);
    },
  };
  return asked;
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

/** Milliseconds a call billed here continues after its caller has gone. */
const graceTime = 120_000;

interface Metering {
  parts: ModelParts;
  run: Asker;
  trialId: string | null;
  route: ModelRoute;
  spending: Spending;
  ours: <T>(work: Promise<T>) => Promise<T>;
}

/** Logs each call. If the operator pays, reserves the maximum cost before it and books the actual cost after it. */
function meterOf({ parts, run, trialId, route, spending, ours }: Metering): Meter {
  const { services, ledger } = parts;
  const { prices, billed } = route;
  const { id: runId, organizationId, projectId, purpose } = run;
  const made = { organizationId, projectId, runId, trialId, model: route.id };
  const note = (costOfCall: number | undefined, booked: number): void => {
    if (costOfCall === undefined) spending.costMicros = undefined;
    else if (spending.costMicros !== undefined) spending.costMicros += costOfCall;
    spending.billedMicros += booked;
  };
  // An open row means that the call may have been billed; a leftover reservation is settled when it expires.
  const unwritten = (error: Error): void =>
    services.log.warn('End of a model call could not be stored', { error: redact(error.message) });
  const costOfCall = ({ usage, failure }: CallEnd): number | undefined =>
    failure ? undefined : costMicros(usage, prices);

  if (billed !== 'operator')
    return {
      patience: 0,
      begin: async () => {
        const id = await ours(ledger.open({ ...made, billed }));
        return async (end) => {
          const micros = costOfCall(end);
          if (!end.failure || end.failure.kind === 'aborted') note(micros, 0);
          // An aborted call may have been billed, so its row stays open.
          if (end.failure?.kind === 'aborted') return;
          void ledger.close(id, end.failure?.kind ?? 'answered', end.usage, micros).catch(unwritten);
        };
      },
    };
  return {
    patience: graceTime,
    begin: async (inputBytes, maxOutputTokens) => {
      const micros = prices && maxMicros(inputBytes, outputTokenLimit(maxOutputTokens, route), prices);
      const inputMicros = prices ? sizedMicros({ input: inputBytes, output: 0 }, prices) : 0;
      const reservation = await ours(ledger.reserve({ ...made, purpose, micros, inputMicros }));
      const extending = setInterval(() => void ledger.extend(reservation).catch(() => {}), reservedFor / 3);
      extending.unref();
      return async (end) => {
        clearInterval(extending);
        const known = costOfCall(end);
        const booked = known ?? bookedFor(end, route, micros ?? 0);
        if (!end.failure || booked > 0) note(known, booked);
        const settle = (): Promise<void> =>
          ledger.settle(reservation, {
            outcome: end.failure?.kind ?? 'answered',
            usage: end.usage,
            costMicros: known ?? (booked > 0 ? booked : undefined),
            bookedMicros: booked,
          });
        const settled = settle().catch((error: Error) => {
          unwritten(error);
          // Does not wait for the database. A call settled as lost meanwhile is corrected.
          void untilWritten(settle, unwritten);
        });
        if (reservation.awaited) await settled;
      };
    },
  };
}

/** Retry interval and time limit for booking a cost, in milliseconds. */
const settleAgainAfter = 2_000;
const settleWithin = 15 * 60_000;

async function untilWritten(settle: () => Promise<void>, unwritten: (error: Error) => void): Promise<void> {
  const until = performance.now() + settleWithin;
  let last: Error | undefined;
  while (performance.now() < until) {
    // `ref: false`, so that the timer does not keep the process alive.
    await delay(settleAgainAfter, undefined, { ref: false });
    try {
      return await settle();
    } catch (error) {
      last = error as Error;
    }
  }
  if (last) unwritten(last);
}

/** Cost to book, in millionths of a dollar, if the provider did not report usage. */
function bookedFor({ failure, size }: CallEnd, { prices }: ModelRoute, reservedMicros: number): number {
  if (!prices) return 0;
  if (!failure) return sizedMicros(size, prices);
  // The provider may have generated up to the limit, so the maximum is booked.
  const brokeOff = failure.kind === 'network' && failure.status !== undefined && failure.status < 300;
  const tooLarge = failure.kind === 'too-large' && failure.status === undefined;
  if (failure.kind === 'aborted' || (brokeOff && size.output === 0) || tooLarge) return reservedMicros;
  const wasAnswered = size.output > 0 || (failure.kind === 'malformed' && (failure.status ?? 200) < 300);
  // If the provider had the request when the connection ended, it may have begun to answer.
  const wasRead = failure.kind === 'network' && !failure.notSent;
  return wasAnswered || brokeOff || wasRead ? sizedMicros(size, prices) : 0;
}
