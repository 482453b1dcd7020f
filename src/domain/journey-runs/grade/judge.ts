import { type JudgedTask, judgeEvidence, judgePrompt } from '../../../evaluation/index.ts';
import { resolveModel } from '../../../models/resolve.ts';
import * as chats from '../../../platform/database/queries/chat-sessions.ts';
import type { JourneyRunRow } from '../../../platform/database/queries/journey-runs.ts';
import type { SessionRow } from '../../../platform/database/queries/journey-sessions.ts';
import { askJudge, JudgeUnavailable } from '../../judging/ask-judge.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import type { JourneySnapshot } from '../snapshot.ts';
import type { StoredJudge } from './stored.ts';

const maxMessages = 5_000;

/** Judges whether the persona reached its goal. Rejects if it must be retried. */
export async function judgeGoal(
  parts: ModelParts,
  run: JourneyRunRow,
  { judge, journey, targets }: JourneySnapshot,
  { id, target }: SessionRow,
  signal: AbortSignal,
): Promise<StoredJudge> {
  if (!judge) return { status: 'skipped', reason: 'The run has no judge' };
  const { db, models } = parts.services;
  const model = judge.resolved;
  const { route } = resolveModel(models, { model });
  const unheard = (reason: string): StoredJudge => ({ status: 'error', reason, model });
  if (!route) return unheard('The model of the judge is no longer hosted');
  const messages = await db.rows(chats.messagesFrom, { sessionId: id, from: 0, most: maxMessages });
  if (messages.length === 0) return { status: 'skipped', reason: 'The session has no messages', model };
  const systemPrompt = targets[target]?.place.systemPrompt;
  const evidence = judgeEvidence({ messages, ...(systemPrompt !== undefined && { systemPrompt }) });
  const task: JudgedTask = {
    title: `Over the whole conversation, the user got this done: ${journey.goal}`,
    isNegative: false,
  };
  const { organizationId, projectId } = run;
  const purpose = { reason: `goal judge of ${id}`, actor: run.startedBy };
  const asker = { id: run.id, organizationId, projectId, apiKeys: {}, purpose };
  try {
    const question = { route, prompt: judgePrompt(task, evidence) };
    const asked = await askJudge({ parts, asker, route }, question, id, null, signal);
    const { status, score, reason } = asked.measurement.goal;
    const measured = status === 'scored' && score !== undefined;
    return {
      status: measured ? 'scored' : 'error',
      ...(measured && { score, passed: score >= judge.threshold }),
      reason: reason.slice(0, 1_000),
      model,
    };
  } catch (error) {
    if (error instanceof JudgeUnavailable)
      return unheard(
        error.failure.kind === 'spend-cap' ? error.message : "The judge's model provider is unavailable",
      );
    throw error;
  }
}
