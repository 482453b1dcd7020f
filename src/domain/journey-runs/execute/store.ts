import type { TurnMessage } from '../../../models/messages.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { LeasedSession } from '../../../platform/database/queries/journey-sessions.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { newId } from '../../../platform/ids.ts';
import { LeaseLost } from '../../../platform/leases/holder.ts';
import { usageOf } from '../../chat-sessions/store.ts';
import { keptMessage } from '../../chat-sessions/transcript.ts';
import { bookSpending } from '../../limits/spend-budget.ts';
import { storableJson } from '../../storable.ts';
import type { JourneyTarget } from '../snapshot.ts';
import type { SessionParts } from './conduct.ts';
import type { AnsweredTurn } from './conversation.ts';
import type { RunInProcess } from './runs.ts';

const mostSpans = 2_000;

interface Place {
  row: LeasedSession;
  run: RunInProcess;
  target: JourneyTarget;
  history: readonly TurnMessage[];
}

/** Messages, trace, evidence and price together: all of a turn is there, or nothing. What it adds to the history. */
export async function storeTurn(
  { services }: SessionParts,
  place: Place,
  { promptIndex, message, outcome, spans, evidence, startedAt }: AnsweredTurn & { evidence: string },
  micros: number,
): Promise<TurnMessage[]> {
  const { row, target, history } = place;
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
  const write = async (db: Db): Promise<void> => {
    if (!(await db.row(sessions.addTurn, turn))) throw new LeaseLost();
  };
  // One statement is a transaction of its own.
  if (micros <= 0) await write(services.db);
  else
    await services.db.transaction(async (db) => {
      await write(db);
      await bookSpending(db, services.clock(), spendingOf(place, micros));
    });
  return kept.map(({ role, content }) => ({ role, content }) as TurnMessage);
}

/** What was spent on what came to nothing, or on hearing that the persona is done. */
export async function bookLeft({ services }: SessionParts, place: Place, micros: number): Promise<void> {
  if (micros <= 0) return;
  await services.db.transaction((db) => bookSpending(db, services.clock(), spendingOf(place, micros)));
}

function spendingOf({ row, run }: Place, micros: number): Parameters<typeof bookSpending>[2] {
  const { organizationId, startedBy } = run;
  return { organizationId, micros, reason: `journey session ${row.id}`, actor: startedBy };
}
