import {
  discoveryPrompt,
  readDiscovery,
  type SessionInsights,
  sessionPrompt,
  type Users,
  withSessionExplanations,
} from '../../evaluation/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as chats from '../../platform/database/queries/chat-sessions.ts';
import type { Counted, Explained, Explainer } from './job.ts';

/** Maximum number of sessions whose messages are shown to a model, and of characters and messages of each. */
export const maxSampled = 24;
const maxExcerptLength = 4_000;
const maxMessages = 60;

/** Insights into sessions, as stored and answered. */
export type SessionsContent<Insights extends SessionInsights> = Insights & {
  generatedAt: number;
  /** Null without explanations of a model. */
  modelUsed: string | null;
  providerKey: string | null;
};

/** A wave or window whose sessions were counted; `spoken` are sessions with messages. */
export function countedSessions<Insights extends SessionInsights>(
  { db, clock }: { db: Db; clock: Clock },
  project: { organizationId: string; projectId: string },
  { insights, users, spoken }: { insights: Insights; users: Users; spoken: readonly string[] },
): Counted<SessionsContent<Insights>> {
  const { organizationId, projectId } = project;
  const content = { ...insights, generatedAt: clock(), modelUsed: null, providerKey: null };
  const explain = async ({ route, ask }: Explainer): Promise<Explained<SessionsContent<Insights>>> => {
    const excerpts = await excerptsOf(db, insights, spoken);
    const hasCandidates = insights.unnarratedCandidates.length > 0;
    const explanations =
      hasCandidates && withSessionExplanations(await ask(sessionPrompt(users, insights, excerpts)), insights);
    const { sampledSessionIds, ...prompt } = discoveryPrompt(
      users,
      [...excerpts].map(([sessionId, text]) => ({ sessionId, text })),
    );
    const findings = excerpts.size === 0 ? [] : readDiscovery(await ask(prompt), sampledSessionIds);
    const made = { generatedAt: clock(), modelUsed: route.id };
    return {
      content: { ...content, ...explanations, ...made, providerKey: route.provider },
      discovery: findings && { ...made, sampledSessionIds, findings },
    };
  };
  return { organizationId, projectId, runId: null, content, explain };
}

/** Messages of sessions with evidence first, then of others. */
async function excerptsOf(
  db: Db,
  { unnarratedCandidates }: SessionInsights,
  spoken: readonly string[],
): Promise<Map<string, string>> {
  const evidence = unnarratedCandidates.flatMap(({ evidenceSessionIds, contrastSessionIds }) => [
    ...evidenceSessionIds.slice(0, 3),
    ...contrastSessionIds.slice(0, 1),
  ]);
  const ids = [...new Set([...evidence, ...spoken])].slice(0, maxSampled);
  const excerpts = new Map<string, string>();
  for (const sessionId of ids) {
    const messages = await db.rows(chats.messagesFrom, { sessionId, from: 0, most: maxMessages });
    const text = messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n');
    if (text !== '') excerpts.set(sessionId, text.slice(0, maxExcerptLength));
  }
  return excerpts;
}
