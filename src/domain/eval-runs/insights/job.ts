import {
  Clusters,
  type Finding,
  findingOf,
  prosePrompt,
  type Score,
  withProse,
} from '../../../evaluation/index.ts';
import { ModelFailure } from '../../../models/failure.ts';
import { hostedRoute, type ModelRoute } from '../../../models/resolve.ts';
import * as insights from '../../../platform/database/queries/eval-insights.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import type { JobKind } from '../../../platform/jobs/worker.ts';
import type { Commit } from '../../../platform/leases/holder.ts';
import { redact } from '../../../platform/log.ts';
import { timeLimit } from '../../../platform/time-limit.ts';
import type { Services } from '../../context.ts';
import { storableJson } from '../../storable.ts';
import { type Asker, askForJson, askModel, type ModelParts } from '../execute/ask-model.ts';
import type { TrialDetail } from '../execute/stored.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { InsightsContent } from './read.ts';
import { findInsights } from './request.ts';

const page = 500;
const mostFindings = 50;
/** Fewer trials than this say little. */
const fewTrials = 5;
/** Milliseconds that prose may take. */
const longestProse = 120_000;
const mostTokens = 8_192;

interface Payload {
  runId: string;
  request: number;
}

/** Gathers what failed in a run, and has a model explain it where there is one. */
export function insightsJob(services: Services, parts: ModelParts): JobKind {
  const close = (
    { runId, request }: Payload,
    end: Omit<Parameters<typeof closed>[0], 'runId' | 'request'>,
  ): Commit => closed({ runId, request, ...end });
  return {
    kind: findInsights,
    concurrency: 2,
    handle: async (payload, signal) => {
      const { runId, request } = payload as Payload;
      const row = await services.db.row(insights.find, { runId });
      const run = await services.db.row(runs.get, { id: runId });
      if (!run || row?.request !== request || row.status !== 'pending') return undefined;
      const counted = await count(services, run);
      const { content, reasonCode } = await explained(services, parts, run, row.requestedBy, counted, signal);
      return close(payload as Payload, { status: 'completed', reasonCode, error: null, content });
    },
    givenUp: (payload) =>
      close(payload as Payload, {
        status: 'failed',
        reasonCode: 'internal_error',
        error: { code: 'INTERNAL_ERROR', message: 'The insights could not be gathered' },
        content: undefined,
      }),
  };
}

function closed({
  content,
  ...end
}: Payload & {
  status: 'completed' | 'failed';
  reasonCode: string | null;
  error: { code: string; message: string } | null;
  content: InsightsContent | undefined;
}): Commit {
  return async (trx) => {
    await trx.run(insights.close, { ...end, content: content ? storableJson(content) : null });
  };
}

/** The part that is counted: the same whenever it is asked for. */
async function count({ db }: Services, run: runs.RunRow): Promise<InsightsContent> {
  const { id: runId } = run;
  const clusters = new Clusters();
  for (let after = -1; ; ) {
    const rows = await db.rows(trials.failures, { runId, after, most: page });
    for (const { id, status, detail } of rows)
      clusters.add({ iterationId: id, ...failedTrial(status, detail as TrialDetail) });
    if (rows.length < page) break;
    after = rows.at(-1)?.position ?? after;
  }
  const { attempted, completed, graded } = await db.one(insights.health, { runId });
  const all = clusters.list();
  const findings = all.slice(0, mostFindings).map((cluster) => findingOf(runId, cluster, attempted));
  const failed = all.reduce((sum, cluster) => sum + cluster.count, 0);
  const omittedFindings = all.length - findings.length;
  const health = { attempted, succeeded: completed, failed: attempted - completed, rateLimited: 0 };
  const { snapshot } = (await db.one(runs.snapshot, { runId })) as { snapshot: RunSnapshot };
  const subject = subjectOf(snapshot);
  return {
    summary:
      failed === 0
        ? `All ${attempted} trials passed.`
        : `${failed} of ${attempted} trials did not pass, in ${all.length} ${all.length === 1 ? 'way' : 'ways'}.`,
    coverage: {
      unit: 'iterations',
      analyzed: attempted,
      total: run.trials,
      gradedCount: graded,
      truncated: attempted < run.trials,
      lowConfidence: graded < fewTrials,
    },
    findings,
    ...(subject && { runHealth: { targets: [{ ...subject, ...health }] } }),
    truncation: {
      truncated: omittedFindings > 0 || clusters.omittedEvidence > 0,
      omittedFindings,
      omittedEvidence: clusters.omittedEvidence,
      contractTruncated: false,
    },
  };
}

function failedTrial(
  status: string,
  detail: TrialDetail,
): Omit<Parameters<Clusters['add']>[0], 'iterationId'> {
  const { title, error, stageResults, firstFailedStage, failureCategory } = detail;
  const { expectedToolCalls, actualToolCalls, predicateResults, scores } = detail;
  return {
    title,
    status,
    error,
    stageResults,
    firstFailedStage,
    failureCategory,
    expectedToolCalls,
    actualToolCalls,
    predicateResults,
    scores: scores as Score[],
  };
}

function subjectOf({
  environment,
  client,
}: RunSnapshot):
  | { subjectKind: 'environment' | 'host'; subjectId: string; subjectLabel: string }
  | undefined {
  if (environment) {
    const { id, name } = environment;
    return { subjectKind: 'environment', subjectId: id, subjectLabel: name ?? id };
  }
  return client ? { subjectKind: 'host', subjectId: client.id, subjectLabel: client.name } : undefined;
}

/** Prose on top of what was counted. A model that fails leaves the rest as it is. */
async function explained(
  services: Services,
  parts: ModelParts,
  { id, organizationId, projectId }: runs.RunRow,
  actor: string,
  content: InsightsContent,
  signal: AbortSignal,
): Promise<{ content: InsightsContent; reasonCode: string | null }> {
  const route = hostedRoute(services.models);
  if (!route) return { content, reasonCode: 'no_model' };
  if (content.findings.length === 0) return { content, reasonCode: null };
  const purpose = { reason: `insights of eval-run ${id}`, actor };
  const asker: Asker = { id, organizationId, projectId, apiKeys: {}, purpose };
  try {
    const text = await ask(parts, asker, route, content.findings, signal);
    const prose = withProse(text, content.findings);
    return prose
      ? { content: { ...content, ...prose }, reasonCode: null }
      : { content, reasonCode: 'model_answer_invalid' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelFailure)) throw error;
    services.log.warn('Insights have no prose', { runId: id, error: redact(error.message) });
    return { content, reasonCode: error.kind === 'spend-cap' ? 'spend_budget_reached' : 'model_failed' };
  }
}

async function ask(
  parts: ModelParts,
  asker: Asker,
  route: ModelRoute,
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<string> {
  const ends = AbortSignal.any([signal, timeLimit(longestProse)]);
  const asked = await askModel(parts, asker, null, { model: route.id, provider: route.provider }, ends);
  return askForJson(asked, prosePrompt(findings), { maxOutputTokens: mostTokens, abortSignal: ends });
}
