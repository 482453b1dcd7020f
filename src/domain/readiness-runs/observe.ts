import { Refusal } from '../../contract/errors.ts';
import { Redactor } from '../../mcp/redactor.ts';
import { ModelFailure } from '../../models/failure.ts';
import { hostedRoute } from '../../models/resolve.ts';
import type { ReadinessRunRow } from '../../platform/database/queries/readiness-runs.ts';
import { timeoutSignal } from '../../platform/flow/deadline.ts';
import { asStorable } from '../../platform/json/storable.ts';
import type { Evidence } from '../../readiness/evidence.ts';
import type { Finding } from '../../readiness/index.ts';
import { observationPrompt, readObservations } from '../../readiness/observations.ts';
import type { ServerContext } from '../context/context.ts';
import { spendInsight } from '../limits/insights.ts';
import { askForJson } from '../model-calls/ask-for-json.ts';
import { type ModelParts, openModel } from '../model-calls/open-model.ts';
import type { ObservationState } from './present.ts';

interface Observed {
  state: ObservationState;
  findings: Finding[];
}

/** Time limit in milliseconds, and tokens of the answer. */
const callTimeout = 60_000;
const maxTokens = 4_096;

/** Optional observations of a model about the tools. A failure here does not fail the run. */
export async function observe(
  parts: ModelParts,
  context: ServerContext,
  run: ReadinessRunRow,
  { tools }: Pick<Evidence, 'tools'>,
  { signal, secrets }: { signal: AbortSignal; secrets: readonly string[] },
): Promise<Observed> {
  if (!run.includeLlmObservations) return none({ status: 'not-requested', reason: 'not_requested' });
  if (!tools.known || tools.value.length === 0)
    return none({ status: 'completed', reason: 'no_evidence', detail: 'No tools could be read' });
  const route = hostedRoute(context.models);
  if (!route)
    return none({
      status: 'provider-failed',
      reason: 'provider_error',
      detail: 'No model is set up for this deployment',
    });
  const refused = await spent(context, run.id);
  if (refused !== undefined) return blocked(refused);
  const late = timeoutSignal(callTimeout);
  const ends = AbortSignal.any([signal, late]);
  const { organizationId, projectId } = run;
  const purpose = { reason: `observations of readiness run ${run.id}`, actor: context.actor.user.id };
  const asker = { id: null, organizationId, projectId, apiKeys: {}, purpose };
  try {
    const model = await openModel(parts, asker, null, { model: route.id, provider: route.provider });
    const prompt = observationPrompt(await new Redactor(secrets).hide(tools.value));
    const answer = await askForJson(model, prompt, { maxOutputTokens: maxTokens, abortSignal: ends });
    const findings = readObservations(answer, run.kind, tools.value, context.clock());
    if (!findings) return none({ status: 'invalid-output', reason: 'schema_invalid' });
    return { state: { status: 'completed' }, findings };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return none({ status: 'provider-failed', reason: 'provider_timeout' });
    if (!(error instanceof ModelFailure)) throw error;
    if (error.kind === 'spend-cap') return blocked(error.message);
    return none({
      status: 'provider-failed',
      reason: 'provider_error',
      detail: asStorable(error.message.slice(0, 500)),
    });
  }
}

function blocked(detail: string): Observed {
  return none({ status: 'billing-blocked', reason: 'billing_limit_reached', detail });
}

function none(state: ObservationState): Observed {
  return { state, findings: [] };
}

/** Takes one unit of the daily budget; returns the reason if none is left. */
async function spent(context: ServerContext, runId: string): Promise<string | undefined> {
  try {
    await context.db.transaction((trx) =>
      spendInsight(context, trx, `observations of readiness run ${runId}`),
    );
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') return error.message;
    throw error;
  }
}
