import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/chat-sessions.ts';
import * as turns from '../../platform/database/queries/chat-turns.ts';
import { asStorable, storableJson } from '../../platform/json/storable.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Begun } from './begin.ts';
import type { Sent } from './config.ts';
import type { RanTurn } from './run-turn.ts';
import { keptMessage } from './transcript.ts';

const maxSpans = 2_000;

export type Persisted = { outcome: 'stored'; version: number } | { outcome: 'failed' | 'superseded' };

/** Stores messages and trace in one transaction. */
export async function storeTurn(
  context: ProjectContext,
  { session, turn }: Begun,
  sent: Sent,
  { outcome, spans }: RanTurn,
  noted?: (db: Db) => Promise<void>,
): Promise<Persisted> {
  const { inputTokens, outputTokens } = outcome.usage;
  const messages = [{ role: 'user' as const, content: sent.message }, ...outcome.messages].map(keptMessage);
  const list = spans.list.slice(0, maxSpans);
  return context.db.transaction(async (trx) => {
    const { id, leaseToken } = turn;
    const ours = await trx.run(turns.complete, {
      id,
      leaseToken,
      finishReason: outcome.finish,
      usage: usageOf(outcome.usage),
      spanCount: spans.list.length,
      spans: JSON.parse(storableJson(list)) as unknown,
      spansTruncated: list.length < spans.list.length,
    });
    if (ours === 0) return { outcome: 'superseded' };
    const { messageCount } = (await trx.row(sessions.lock, ownerOf(context, session.id))) ?? session;
    for (const [at, { role, content, truncated, words }] of messages.entries())
      await trx.run(sessions.addMessage, {
        sessionId: session.id,
        number: messageCount + at,
        turnId: id,
        role,
        content: JSON.parse(storableJson(content)) as unknown,
        truncated,
        words,
      });
    const { version } = await trx.one(sessions.addTurn, {
      id: session.id,
      messages: messages.length,
      inputTokens: inputTokens ?? 0,
      outputTokens: outputTokens ?? 0,
    });
    await noted?.(trx);
    return { outcome: 'stored', version };
  });
}

/**
 * Marks a turn failed, unless it is stored after all: the response to a commit may get lost. Deletes a session whose
 * first turn failed, unless another turn has begun in it.
 */
export async function failTurn(
  context: ProjectContext,
  { session, turn }: Begun,
  error: string,
  noted?: (db: Db) => Promise<void>,
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { id, leaseToken } = turn;
    const ours = await trx.run(turns.fail, { id, leaseToken, error: asStorable(error.slice(0, 500)) });
    if (ours === 0) return;
    await noted?.(trx);
    await trx.run(sessions.removeEmpty, { id: session.id });
    await trx.run(sessions.unpin, { id: session.id });
  });
}

export function usageOf({ inputTokens, outputTokens }: RanTurn['outcome']['usage']) {
  const known = inputTokens !== undefined && outputTokens !== undefined;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(known && { totalTokens: inputTokens + outputTokens }),
  };
}

function ownerOf({ actor }: ProjectContext, id: string) {
  return { id, organizationId: actor.organization.id, userId: actor.user.id };
}
