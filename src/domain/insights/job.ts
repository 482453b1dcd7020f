import { ModelFailure } from '../../models/failure.ts';
import { hostedRoute, type ModelRoute } from '../../models/resolve.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { storableJson } from '../../platform/json/storable.ts';
import type { Commit } from '../../platform/leases/holder.ts';
import { redact } from '../../platform/log.ts';
import { askForJson } from '../model-calls/ask-for-json.ts';
import { type Asker, type ModelParts, openModel } from '../model-calls/open-model.ts';
import type { InsightsSource, Outcome, Subject } from './source.ts';

/** Milliseconds for all model calls together. */
const explanationTimeout = 120_000;
const maxTokens = 8_192;

export interface Explained<Content> {
  content: Content;
  discovery?: unknown;
  /** Why a model added nothing. */
  reasonCode?: string;
}

/** A model that answers a question with JSON. */
export interface Explainer {
  route: ModelRoute;
  ask: (prompt: { system: string; user: string }) => Promise<string>;
}

export interface Counted<Content> {
  organizationId: string;
  projectId: string;
  /** The eval run that model calls are recorded with. */
  runId: string | null;
  /** Counted without a model, so equal for the same results. */
  content: Content;
  explain: (explainer: Explainer) => Promise<Explained<Content>>;
}

/** Counts what went wrong, and lets a hosted model explain it. `count` returns undefined if the subject was deleted. */
export function insightsHandler<Of extends Subject, Content>(
  parts: ModelParts,
  source: InsightsSource<Of>,
  count: (subject: Of) => Promise<Counted<Content> | undefined>,
): JobHandler {
  const { db } = parts.services;
  const closed =
    (payload: Payload, outcome: Outcome): Commit =>
    async (trx) => {
      await source.close(trx, source.subjectIn(payload), { ...outcome, request: payload.request });
    };
  return {
    handle: async (data, signal) => {
      const payload = data as Payload;
      const subject = source.subjectIn(payload);
      const row = await source.find(db, subject);
      if (row?.request !== payload.request || row.status !== 'pending') return undefined;
      const counted = await count(subject);
      if (!counted) return closed(payload, failed('NOT_FOUND', 'The subject of the insights was deleted'));
      const purpose = { reason: `insights of ${source.describe(subject)}`, actor: row.requestedBy };
      const { organizationId, projectId, runId: id } = counted;
      const asker = { id, organizationId, projectId, apiKeys: {}, purpose };
      const { content, discovery, reasonCode } = await explained(parts, asker, counted, signal);
      return closed(payload, {
        status: 'completed',
        insights: storableJson(content),
        discovery: discovery ? storableJson(discovery) : null,
        reasonCode: reasonCode ?? null,
        errorCode: null,
        errorMessage: null,
      });
    },
    givenUp: (payload) =>
      closed(payload as Payload, failed('INTERNAL_ERROR', 'The insights could not be gathered')),
  };
}

type Payload = Record<string, unknown> & { request: number };

function failed(errorCode: string, errorMessage: string): Outcome {
  const reasonCode = errorCode.toLowerCase();
  return { status: 'failed', insights: null, discovery: null, reasonCode, errorCode, errorMessage };
}

/** Without a model, or if it fails, the counts remain as they are. */
async function explained<Content>(
  parts: ModelParts,
  asker: Asker,
  { content, explain }: Counted<Content>,
  signal: AbortSignal,
): Promise<Explained<Content>> {
  const { models, log } = parts.services;
  const route = hostedRoute(models);
  if (!route) return { content, reasonCode: 'no_model' };
  const ends = AbortSignal.any([signal, timeoutSignal(explanationTimeout)]);
  const variant = { model: route.id, provider: route.provider };
  try {
    return await explain({
      route,
      ask: async (prompt) => {
        const model = await openModel(parts, asker, null, variant);
        return askForJson(model, prompt, { maxOutputTokens: maxTokens, abortSignal: ends });
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelFailure)) throw error;
    log.warn('Insights could not be explained', {
      about: asker.purpose.reason,
      error: redact(error.message),
    });
    return { content, reasonCode: error.kind === 'spend-cap' ? 'spend_budget_reached' : 'model_failed' };
  }
}
