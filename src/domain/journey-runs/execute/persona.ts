import type { TurnMessage } from '../../../models/messages.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { askForJson } from '../../model-calls/ask-for-json.ts';
import { type OpenModel, openModel } from '../../model-calls/open-model.ts';
import { readPersonaAnswer } from '../../personas/speak/answer.ts';
import { type PersonaTurn, personaPrompt } from '../../personas/speak/prompt.ts';
import { rehearsedPersona } from '../../personas/speak/rehearsed.ts';
import type { RunInProcess, SessionParts } from './runs.ts';

/** Milliseconds and tokens per answer; for some models, tokens include reasoning. */
const callTimeout = 90_000;
const maxTokens = 4_096;

type PersonaAnswer = ReturnType<typeof readPersonaAnswer>;

/** Plays the persona of a session, by a model or from templates. */
export class Speaker {
  private readonly run: RunInProcess;
  private readonly model: OpenModel | undefined;
  private readonly signal: AbortSignal;

  private constructor(run: RunInProcess, model: OpenModel | undefined, signal: AbortSignal) {
    this.run = run;
    this.model = model;
    this.signal = signal;
  }

  static async of(
    parts: SessionParts,
    run: RunInProcess,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<Speaker> {
    const { personaModel } = run.snapshot;
    const model = personaModel ? await openModel(parts, run, sessionId, personaModel) : undefined;
    return new Speaker(run, model, signal);
  }

  async next(history: readonly TurnMessage[], turn: number): Promise<PersonaAnswer> {
    const { persona, journey, maxTurns } = this.run.snapshot;
    const given: PersonaTurn = {
      persona,
      goal: journey.goal,
      turn,
      maxTurns,
      transcript: spokenIn(history),
    };
    if (!this.model) return rehearsedPersona(given);
    const text = await askForJson(this.model, personaPrompt(given), {
      maxOutputTokens: maxTokens,
      abortSignal: AbortSignal.any([this.signal, timeoutSignal(callTimeout)]),
    });
    return readPersonaAnswer(text);
  }

  get trouble(): Error | undefined {
    return this.model?.trouble;
  }
}

/** The spoken text of both sides, without tool calls. */
function spokenIn(history: readonly TurnMessage[]): PersonaTurn['transcript'] {
  return history.flatMap(({ role, content }) => {
    if (role === 'tool') return [];
    const text =
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return text.trim() === ''
      ? []
      : [{ speaker: role === 'user' ? ('persona' as const) : ('agent' as const), text }];
  });
}
