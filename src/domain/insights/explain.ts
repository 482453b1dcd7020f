import {
  discoveryPrompt,
  type Narration,
  readDiscovery,
  type Users,
  waveProsePrompt,
  withWaveProse,
} from '../../evaluation/index.ts';
import { ModelFailure } from '../../models/failure.ts';
import type { ModelRoute } from '../../models/resolve.ts';
import type { Db } from '../../platform/database/database.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import { redact } from '../../platform/log.ts';
import { timeLimit } from '../../platform/time-limit.ts';
import { type Asker, askForJson, askModel, type ModelParts } from '../eval-runs/execute/ask-model.ts';
import type { DiscoveryContent, InsightsContent } from './content.ts';

/** Sessions whose words a model is shown, and characters of each. */
const mostShown = 24;
const longestExcerpt = 4_000;
/** Milliseconds, and tokens of an answer. */
const longestCall = 120_000;
const mostTokens = 8_192;

export interface Found<Counted extends Narration> {
  content: InsightsContent<Counted>;
  discovery: DiscoveryContent | null;
}

/** Words on top of what was counted. A model that fails leaves the rest as it is. */
export async function explain<Counted extends Narration>(
  parts: ModelParts,
  { asker, route, users }: { asker: Asker; route: ModelRoute; users: Users },
  content: InsightsContent<Counted>,
  spoken: readonly string[],
  signal: AbortSignal,
): Promise<Found<Counted>> {
  const { clock, log, db } = parts.services;
  const ends = AbortSignal.any([signal, timeLimit(longestCall)]);
  const said = await wordsOf(db, content, spoken);
  try {
    const asked = await askModel(parts, asker, null, { model: route.id, provider: route.provider }, ends);
    const options = { maxOutputTokens: mostTokens, abortSignal: ends };
    const prose =
      content.unnarratedCandidates.length === 0
        ? undefined
        : withWaveProse(await askForJson(asked, waveProsePrompt(users, content, said), options), content);
    const { sampledSessionIds, ...prompt } = discoveryPrompt(
      users,
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
    log.warn('Insights have no prose', { error: redact(error.message) });
    return { content, discovery: null };
  }
}

/** What was said in sessions that show something, then in others. */
async function wordsOf(
  db: Db,
  { unnarratedCandidates }: Narration,
  spoken: readonly string[],
): Promise<Map<string, string>> {
  const telling = unnarratedCandidates.flatMap(({ evidenceSessionIds, contrastSessionIds }) => [
    ...evidenceSessionIds.slice(0, 3),
    ...contrastSessionIds.slice(0, 1),
  ]);
  const ids = [...new Set([...telling, ...spoken])].slice(0, mostShown);
  const said = new Map<string, string>();
  for (const sessionId of ids) {
    const messages = await db.rows(chats.messagesFrom, { sessionId, from: 0, most: 60 });
    const text = messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n');
    if (text !== '') said.set(sessionId, text.slice(0, longestExcerpt));
  }
  return said;
}
