import type { TurnMessage } from '../../../models/messages.ts';
import type { LeasedSession } from '../../../platform/database/queries/journey-sessions.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { newId } from '../../../platform/ids.ts';
import { LeaseLost } from '../../../platform/leases/holder.ts';
import { usageOf } from '../../chat-sessions/store.ts';
import { keptMessage } from '../../chat-sessions/transcript.ts';
import { storableJson } from '../../storable.ts';
import type { JourneyTarget } from '../snapshot.ts';
import type { SessionParts } from './conduct.ts';
import type { AnsweredTurn } from './conversation.ts';

const mostSpans = 2_000;

interface Place {
  row: LeasedSession;
  target: JourneyTarget;
  history: readonly TurnMessage[];
}

/** Messages, trace and evidence together: all of a turn is there, or nothing. What it adds to the history. */
export async function storeTurn(
  { services }: SessionParts,
  { row, target, history }: Place,
  { promptIndex, message, outcome, spans, evidence, startedAt }: AnsweredTurn & { evidence: string },
): Promise<TurnMessage[]> {
  const kept = [{ role: 'user' as const, content: message }, ...outcome.messages].map(keptMessage);
  const list = spans.list.slice(0, mostSpans);
  const { inputTokens = 0, outputTokens = 0 } = outcome.usage;
  const turn = {
    id: row.id,
    leaseToken: row.leaseToken,
    turnId: newId('turn', startedAt),
    promptIndex,
    finishReason: outcome.finish,
    usage: usageOf(outcome.usage),
    modelId: target.model.model,
    spanCount: spans.list.length,
    spans: storableJson(list),
    spansTruncated: list.length < spans.list.length,
    startedAt,
    evidence,
    numbers: kept.map((_, at) => history.length + at),
    roles: kept.map(({ role }) => role),
    contents: kept.map(({ content }) => storableJson(content)),
    truncated: kept.map(({ truncated }) => truncated),
    words: kept.map(({ words }) => words),
    inputTokens,
    outputTokens,
    firstMessage: message.slice(0, 500).toWellFormed(),
  };
  if (!(await services.db.row(sessions.addTurn, turn))) throw new LeaseLost();
  return kept.map(({ role, content }) => ({ role, content }) as TurnMessage);
}
