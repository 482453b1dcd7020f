import { cutOffWords } from '../../../models/cut-off.ts';
import { ModelFailure } from '../../../models/failure.ts';
import type { TurnMessage } from '../../../models/messages.ts';
import { runTurn } from '../../../models/turn.ts';
import type { LeasedSession } from '../../../platform/database/queries/journey-sessions.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { recordTurn } from '../../../trials/record-turn.ts';
import { Recorder } from '../../../trials/recorder.ts';
import { Spans } from '../../../trials/spans.ts';
import type { CallAnswer, ToolBox } from '../../../trials/tools.ts';
import { lengthOf, maxHistory } from '../../chat-sessions/transcript.ts';
import { withServerSlots } from '../../execution/server-slots.ts';
import { spentBy } from '../../limits/spend-budget.ts';
import type { OpenModel } from '../../model-calls/open-model.ts';
import type { JourneyTarget } from '../snapshot.ts';
import { keptEvidence } from './evidence.ts';
import { broken, type SessionOutcome, succeeded } from './outcome.ts';
import type { Speaker } from './persona.ts';
import type { RunInProcess, SessionParts } from './runs.ts';
import { type AnsweredTurn, storeTurn } from './store.ts';

/** Time limit of one agent answer, in milliseconds. */
const answerTimeout = 180_000;
/** Maximum number of model calls per agent answer. */
const stepLimit = 16;

interface Between {
  row: LeasedSession;
  run: RunInProcess;
  target: JourneyTarget;
  box: ToolBox;
  /** The conversation so far, as stored. */
  history: TurnMessage[];
  agent: OpenModel;
  speaker: Speaker;
  signal: AbortSignal;
}

/** Characters of JSON of evidence per session; later evidence is truncated. */
const maxEvidence = 8 * 1024 * 1024;

/** Alternates persona and agent until the persona is done or out of turns. */
export class Conversation {
  private readonly parts: SessionParts;
  private readonly between: Between;
  /** Characters of JSON: the conversation so far, and the room left for untruncated evidence. */
  private said: number;
  private room = maxEvidence;

  constructor(parts: SessionParts, between: Between) {
    this.parts = parts;
    this.between = between;
    this.said = lengthOf(between.history);
  }

  async carryOn(turns: number): Promise<SessionOutcome> {
    const { run, signal } = this.between;
    for (let turn = turns; turn < run.snapshot.maxTurns; turn++) {
      const end = await this.take(turn);
      signal.throwIfAborted();
      if (end) return end;
    }
    return succeeded(true);
  }

  /** Runs one turn; returns the outcome if the session ends with it. */
  private async take(promptIndex: number): Promise<SessionOutcome | undefined> {
    const { services } = this.parts;
    const { run, history, speaker } = this.between;
    const spent = await spentBy(services, run.organizationId, run.routes);
    if (spent) return broken('spend_cap_exceeded', spent.message);
    if (this.said > maxHistory)
      return broken('session_failed', 'The conversation has become too long for a model');
    const said = await this.blaming(() => speaker.next(history, promptIndex));
    if (said.kind === 'ends') return succeeded(false);
    if (said.kind === 'unreadable')
      return broken('session_failed', 'The model that plays the persona returned no usable message');
    const answered = await this.blaming(() => this.answer(said.message, promptIndex));
    const { error, finish } = answered.outcome;
    if (finish === 'error') throw this.trouble() ?? error ?? new Error('a turn failed without an error');
    if (finish === 'aborted') {
      this.between.signal.throwIfAborted();
      return broken('session_failed', `The agent took longer than ${answerTimeout / 1000} s to answer`);
    }
    const evidence = keptEvidence(answered.recorder.evidence(1), this.room);
    const added = await storeTurn(this.parts, this.between, { ...answered, evidence });
    history.push(...added);
    this.said += lengthOf(added);
    this.room -= evidence.length;
    // The answer was cut off, so the session cannot be judged.
    if (finish !== 'stop')
      return broken('session_failed', cutOffWords(finish, answered.outcome.steps.at(-1)?.finish.raw));
    return undefined;
  }

  private async answer(message: string, promptIndex: number): Promise<AnsweredTurn> {
    const { clock } = this.parts.services;
    const { agent, box, target, history, row, signal } = this.between;
    const startedAt = clock();
    const outcome = await withServerSlots(this.parts, target.place.servers, signal, () =>
      runTurn<CallAnswer>({
        model: agent,
        history: [...history, { role: 'user', content: message }],
        system: target.place.systemPrompt,
        temperature: target.place.temperature,
        tools: box.offered,
        stepLimit,
        callTool: ({ id, name, input, signal: ends }) => box.call(name, input, ends, id),
        signal: AbortSignal.any([signal, timeoutSignal(answerTimeout)]),
        clock,
      }),
    );
    const spans = new Spans(startedAt);
    const recorder = new Recorder(box, false);
    const place = { promptIndex, stepId: `${row.id} ${promptIndex}` };
    recordTurn({ box, spans, recorder, modelId: agent.modelId }, outcome, place);
    const finalText = outcome.messages.at(-1)?.role === 'assistant' ? outcome.text : '';
    recorder.turn({ promptIndex, prompt: message, finalText });
    return { promptIndex, message, outcome, spans, recorder, startedAt };
  }

  /** Rethrows the internal error behind a model failure, if there is one, so that the model is not blamed. */
  private async blaming<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw (error instanceof ModelFailure ? this.trouble() : undefined) ?? error;
    }
  }

  private trouble(): Error | undefined {
    const { agent, speaker } = this.between;
    return agent.trouble ?? speaker.trouble;
  }
}
