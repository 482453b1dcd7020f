import { cutOffWords } from '../../../models/cut-off.ts';
import { ModelFailure, unlessAborted } from '../../../models/failure.ts';
import type { TurnMessage } from '../../../models/messages.ts';
import * as chats from '../../../platform/database/queries/chat-sessions.ts';
import * as runRows from '../../../platform/database/queries/journey-runs.ts';
import type { LeasedSession } from '../../../platform/database/queries/journey-sessions.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import { LeaseLost } from '../../../platform/leases/holder.ts';
import { skillTools } from '../../../trials/skills.ts';
import { type ToolBox, toolBox } from '../../../trials/tools.ts';
import { openModel } from '../../model-calls/open-model.ts';
import type { JourneyTarget } from '../snapshot.ts';
import { Conversation } from './conversation.ts';
import { broken, ofModelFailure, type SessionOutcome } from './outcome.ts';
import { Speaker } from './persona.ts';
import type { RunInProcess, SessionParts } from './runs.ts';

/** Maximum number of characters of JSON of tool declarations kept per target for grading. */
const maxToolsLength = 2 * 1024 * 1024;
/** Maximum number of messages read; more than a session of 200 turns with 20 steps each can have. */
const maxMessages = 20_000;

/**
 * Runs one session from connecting to its end. An interrupted session resumes after its last stored turn. Rejects
 * only if it must be retried.
 */
export async function conductSession(
  parts: SessionParts,
  row: LeasedSession,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const { db } = parts.services;
  const run = await parts.runs.get(row.runId);
  const { journey, persona, targets } = run.snapshot;
  const target = targets[row.target] as JourneyTarget;
  const begun = await db.row(sessions.begin, {
    id: row.id,
    leaseToken: row.leaseToken,
    title: `${persona.name}: ${journey.name}`.slice(0, 200).toWellFormed(),
    config: configOf(target),
  });
  if (!begun) throw new LeaseLost();
  // The last turn was stored, but the process died before ending the session for it.
  const { lastFinish } = begun;
  if (
    lastFinish === 'length' ||
    lastFinish === 'content-filter' ||
    lastFinish === 'step-limit' ||
    lastFinish === 'other'
  )
    return broken('session_failed', cutOffWords(lastFinish));
  const connected = await unlessAborted(
    parts.servers.get(await parts.runs.callerOf(run, row.target)),
    signal,
  );
  if ('failure' in connected)
    return broken('session_failed', connected.failure.message ?? 'The servers could not be reached');
  const box = toolBox(connected.servers, skillTools(target.place.skills));
  if (row.sessionIndex === 0) await keepTools(parts, run, row.target, box);
  const from = { sessionId: row.id, from: 0, most: maxMessages };
  const stored = begun.turns === 0 ? [] : await db.rows(chats.messagesFrom, from);
  try {
    const conversation = new Conversation(parts, {
      row,
      run,
      target,
      box,
      history: stored.map(({ role, content }) => ({ role, content }) as TurnMessage),
      agent: await openModel(parts, run, row.id, target.model),
      speaker: await Speaker.of(parts, run, row.id, signal),
      signal,
    });
    return await conversation.carryOn(begun.turns);
  } catch (error) {
    // An internal error: the session is retried.
    if (!(error instanceof ModelFailure) || error.kind === 'aborted') throw error;
    return ofModelFailure(error);
  }
}

/** Settings shown with the chat session. */
function configOf({ kind, targetId, model, place }: JourneyTarget): Record<string, unknown> {
  return {
    modelId: model.model,
    provider: model.provider,
    toolMode: 'auto',
    ...(kind === 'environment'
      ? { environmentId: targetId }
      : { serverIds: place.servers.map(({ id }) => id) }),
  };
}

async function keepTools(
  { services }: SessionParts,
  run: RunInProcess,
  target: number,
  { inventory }: ToolBox,
): Promise<void> {
  const tools = storableJson(inventory);
  if (tools.length > maxToolsLength) return;
  await services.db.run(runRows.keepTools, { runId: run.id, target, tools: JSON.parse(tools) as unknown });
}
