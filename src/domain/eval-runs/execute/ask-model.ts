import { setTimeout as delay } from 'node:timers/promises';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import { unlessAborted } from '../../../models/abort.ts';
import { connectModel, mostOutputTokens } from '../../../models/connect.ts';
import { costMicros, mostMicros, sizedMicros } from '../../../models/cost.ts';
import { cutOffWords } from '../../../models/cut-off.ts';
import { ModelFailure } from '../../../models/failure.ts';
import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import { type PaceGate, withRetries } from '../../../models/retry.ts';
import { tracedCall } from '../../../models/traced-call.ts';
import type { Courtesy } from '../../../platform/courtesy.ts';
import type { SharedSlots } from '../../../platform/leases/shared-slots.ts';
import { redact } from '../../../platform/log.ts';
import type { Services } from '../../context.ts';
import { type CallEnd, type Meter, MeteredModel } from '../../limits/metered-model.ts';
import { SpendCapReached } from '../../limits/spend-cap.ts';
import { type CallLedger, type Purpose, reservedFor } from './ledger.ts';
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
  /** Each of its calls is reserved, booked and written down. */
  model: LanguageModelV3;
  /** Stands around each call: a slot that all processes share, waits and retries. */
  callModel: (
    attempt: () => Promise<LanguageModelV3GenerateResult>,
  ) => Promise<LanguageModelV3GenerateResult>;
  /** The same without retries. */
  callOnce: AskedModel['callModel'];
  spending: Spending;
  /** What went wrong on our side of a call, as while the database is away. */
  trouble?: Error;
}

/** One question that is answered with JSON; the text of the answer. An answer that was cut off is none. */
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

/** On whose behalf a model is asked and what for, in a run or in none. The object itself stands for it: its models are connected once. */
export type Asker = Pick<RunInProcess, 'organizationId' | 'projectId' | 'apiKeys'> & {
  id: string | null;
  purpose: Purpose;
};

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
  const { services, slots, pauses } = parts;
  const spending: Spending = { calls: 0, costMicros: 0, billedMicros: 0 };
  const most = route.limits.concurrency ?? services.config.modelConcurrency;
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
      // One that goes on without its caller still has its slot.
      await metered?.idle();
    }
  };
  const gate: PaceGate = {
    wait: (pool, ends) => ours(pauses.wait(pool, ends)),
    pause: (pool, until) => ours(pauses.pause(pool, until)),
  };
  const inSlot: AskedModel['callModel'] = (attempt) =>
    slots.run(`model ${route.pool}`, most, signal, () => once(attempt));
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
      await parts.courtesy?.turn(run.organizationId);
      // Nobody else waits for the offline model.
      if (route.wire === 'rehearsal') return once(attempt);
      return whenThereIsRoom(() => retried(attempt), signal);
    },
  };
  return asked;
}

/** Milliseconds between two looks whether a cap has room again, and for which one waits for it. */
const roomAfter = 100;
const roomWithin = 60_000;

/** Tries again while only calls that are under way stand in the way, outside of the slot that others may need. */
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

/** Milliseconds for which a call on a key of this deployment goes on without its caller. */
const patience = 120_000;

interface Metering {
  parts: ModelParts;
  run: Asker;
  trialId: string | null;
  route: ModelRoute;
  spending: Spending;
  ours: <T>(work: Promise<T>) => Promise<T>;
}

/** Writes each call down, and where the operator pays for it, reserves what it may cost and books what it did. */
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
  // A row that stays open says that the call may have been billed; a reservation that stays is settled when it expires.
  const unwritten = (error: Error): void =>
    services.log.warn('The end of a model call was not written', { error: redact(error.message) });
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
          // One that was given up may have been billed: its row stays open.
          if (end.failure?.kind === 'aborted') return;
          void ledger.close(id, end.failure?.kind ?? 'answered', end.usage, micros).catch(unwritten);
        };
      },
    };
  return {
    patience,
    begin: async (inputBytes, maxOutputTokens) => {
      const micros = prices && mostMicros(inputBytes, mostOutputTokens(maxOutputTokens, route), prices);
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
          // While the database is away nobody waits for it. A call that was given up for lost meanwhile is corrected.
          void untilWritten(settle, unwritten);
        });
        if (reservation.awaited) await settled;
      };
    },
  };
}

/** Milliseconds between two attempts to write what a call cost, and for which it is tried. */
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

/** What is booked for a call whose provider did not say what it took. */
function bookedFor({ failure, size }: CallEnd, { prices }: ModelRoute, most: number): number {
  if (!prices) return 0;
  if (!failure) return sizedMicros(size, prices);
  // Nobody knows how much of it the provider went on with.
  const brokeOff = failure.kind === 'network' && failure.status !== undefined && failure.status < 300;
  const tooLarge = failure.kind === 'too-large' && failure.status === undefined;
  if (failure.kind === 'aborted' || (brokeOff && size.output === 0) || tooLarge) return most;
  const wasAnswered = size.output > 0 || (failure.kind === 'malformed' && (failure.status ?? 200) < 300);
  // A provider that had the request when the connection ended may have begun to answer.
  const wasRead = failure.kind === 'network' && !failure.notSent;
  return wasAnswered || brokeOff || wasRead ? sizedMicros(size, prices) : 0;
}
