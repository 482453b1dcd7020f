import {
  discoveryPrompt,
  type FindingStatus,
  journeyFindings,
  observe,
  readDiscovery,
  type SessionFacts,
  waveInsights,
  waveProsePrompt,
  withWaveProse,
} from '../../evaluation/index.ts';
import { ModelFailure } from '../../models/failure.ts';
import { hostedRoute, type ModelRoute } from '../../models/resolve.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import * as findings from '../../platform/database/queries/journey-findings.ts';
import * as runRows from '../../platform/database/queries/journey-runs.ts';
import * as sessionRows from '../../platform/database/queries/journey-sessions.ts';
import * as insights from '../../platform/database/queries/wave-insights.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Commit } from '../../platform/leases/holder.ts';
import { redact } from '../../platform/log.ts';
import { type Asker, askForJson, askModel, type ModelParts } from '../eval-runs/execute/ask-model.ts';
import { factsOfRun } from '../journey-runs/grade/session-facts.ts';
import { storableJson } from '../storable.ts';
import type { DiscoveryContent, InsightsContent } from './content.ts';
import { findWaveInsights } from './request.ts';

/** Sessions whose words a model is shown, and characters of each. */
const mostShown = 24;
const longestExcerpt = 4_000;
/** Milliseconds, and tokens of an answer. */
const longestCall = 120_000;
const mostTokens = 8_192;

interface Payload {
  projectId: string;
  waveId: string;
  request: number;
}

/** Gathers what the sessions of a wave have in common, and has a model explain it where there is one. */
export function waveInsightsJob(parts: ModelParts): JobKind {
  const { services } = parts;
  return {
    kind: findWaveInsights,
    concurrency: 2,
    handle: async (payload, signal) => {
      const asked = payload as Payload;
      const row = await services.db.row(insights.find, asked);
      if (row?.request !== asked.request || row.status !== 'pending') return undefined;
      const { content, sessions, organizationId } = await count(parts, asked);
      const route = hostedRoute(services.models);
      if (!route || !organizationId) return closed(asked, { content, discovery: null });
      const asker = { id: null, organizationId, projectId: asked.projectId, apiKeys: {} };
      const explained = await explain(parts, asker, route, content, sessions, signal);
      return closed(asked, explained);
    },
    givenUp: (payload) => async (db) => {
      await db.run(insights.close, {
        ...(payload as Payload),
        status: 'failed',
        insights: null,
        discovery: null,
        errorCode: 'INTERNAL_ERROR',
        errorMessage: 'The insights could not be gathered',
      });
    },
  };
}

interface Found {
  content: InsightsContent;
  discovery: DiscoveryContent | null;
}

function closed(asked: Payload, { content, discovery }: Found): Commit {
  const storable = (value: unknown): unknown => JSON.parse(storableJson(value)) as unknown;
  return async (db) => {
    await db.run(insights.close, {
      ...asked,
      status: 'completed',
      insights: storable(content),
      discovery: discovery && storable(discovery),
      errorCode: null,
      errorMessage: null,
    });
  };
}

/** The part that is counted: the same whenever it is asked for, of the same runs. */
async function count(
  { services }: ModelParts,
  { projectId, waveId }: Payload,
): Promise<{ content: InsightsContent; sessions: SessionFacts[]; organizationId: string | undefined }> {
  const { db, clock } = services;
  const launched = await db.rows(runRows.ofWave, { projectId, waveId });
  const facts = [];
  for (const run of launched)
    facts.push(factsOfRun(run, await db.rows(sessionRows.listOfRun, { runId: run.id })));
  const sessions = facts.flatMap((run) => run.sessions);
  const observations = observe(sessions);
  const fingerprints = observations.map(({ fingerprint }) => fingerprint);
  const known = await db.rows(findings.withFingerprints, { projectId, fingerprints });
  const statuses = new Map<string, FindingStatus>(known.map((row) => [row.fingerprint, row.status]));
  const content = {
    ...waveInsights(sessions, observations, statuses),
    generatedAt: clock(),
    modelUsed: null,
    providerKey: null,
    journeyFindings: journeyFindings(facts, clock()),
  };
  return { content, sessions, organizationId: launched[0]?.organizationId };
}

/** Words on top of what was counted. A model that fails leaves the rest as it is. */
async function explain(
  parts: ModelParts,
  asker: Asker,
  route: ModelRoute,
  content: InsightsContent,
  sessions: readonly SessionFacts[],
  signal: AbortSignal,
): Promise<Found> {
  const { clock, log } = parts.services;
  const ends = AbortSignal.any([signal, AbortSignal.timeout(longestCall)]);
  const said = await wordsOf(parts, content, sessions);
  try {
    const asked = await askModel(parts, asker, null, { model: route.id, provider: route.provider }, ends);
    const options = { maxOutputTokens: mostTokens, abortSignal: ends };
    const prose =
      content.unnarratedCandidates.length === 0
        ? undefined
        : withWaveProse(await askForJson(asked, waveProsePrompt(content, said), options), content);
    const { sampledSessionIds, ...prompt } = discoveryPrompt(
      [...said].map(([sessionId, text]) => ({ sessionId, text })),
    );
    const seen =
      said.size === 0 ? [] : readDiscovery(await askForJson(asked, prompt, options), sampledSessionIds);
    const named = { generatedAt: clock(), modelUsed: route.id };
    return {
      content: { ...content, ...prose, ...named, providerKey: route.provider },
      discovery: seen ? { ...named, sampledSessionIds, findings: seen } : null,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelFailure)) throw error;
    log.warn('Insights into a wave have no prose', { error: redact(error.message) });
    return { content, discovery: null };
  }
}

/** What was said in sessions that show something, then in others. */
async function wordsOf(
  { services }: ModelParts,
  { unnarratedCandidates }: InsightsContent,
  sessions: readonly SessionFacts[],
): Promise<Map<string, string>> {
  const telling = unnarratedCandidates.flatMap(({ evidenceSessionIds, contrastSessionIds }) => [
    ...evidenceSessionIds.slice(0, 3),
    ...contrastSessionIds.slice(0, 1),
  ]);
  const spoken = sessions.filter(({ turns }) => turns > 0).map(({ sessionId }) => sessionId);
  const ids = [...new Set([...telling, ...spoken])].slice(0, mostShown);
  const said = new Map<string, string>();
  for (const sessionId of ids) {
    const messages = await services.db.rows(chats.messagesFrom, { sessionId, from: 0, most: 60 });
    const text = messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n');
    if (text !== '') said.set(sessionId, text.slice(0, longestExcerpt));
  }
  return said;
}
