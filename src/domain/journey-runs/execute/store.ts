import type { TurnMessage } from '../../../models/messages.ts';
import type { TurnOutcome } from '../../../models/turn.ts';
import type { LeasedSession } from '../../../platform/database/queries/journey-sessions.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { newId } from '../../../platform/ids.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import { LeaseLost } from '../../../platform/leases/holder.ts';
import type { Recorder } from '../../../trials/recorder.ts';
import type { Spans } from '../../../trials/spans.ts';
import type { CallAnswer } from '../../../trials/tools.ts';
import { usageOf } from '../../chat-sessions/store.ts';
import { keptMessage } from '../../chat-sessions/transcript.ts';
import type { JourneyTarget } from '../snapshot.ts';
import type { SessionParts } from './runs.ts';

const maxSpans = 2_000;

interface Place {
  row: LeasedSession;
  target: JourneyTarget;
  history: readonly TurnMessage[];
}

/** A turn that has run, but is not stored yet. */
export interface AnsweredTurn {
  promptIndex: number;
  message: string;
  outcome: TurnOutcome<CallAnswer>;
  spans: Spans;
  recorder: Recorder;
  startedAt: number;
}

/** Stores messages, trace and evidence of a turn in one transaction. Returns the messages it adds to the history. */
export async function storeTurn(
  { services }: SessionParts,
  { row, target, history }: Place,
  { promptIndex, message, outcome, spans, evidence, startedAt }: AnsweredTurn & { evidence: string },
): Promise<TurnMessage[]> {
  const kept = [{ role: 'user' as const, content: message }, ...outcome.messages].map(keptMessage);
  const list = spans.list.slice(0, maxSpans);
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
