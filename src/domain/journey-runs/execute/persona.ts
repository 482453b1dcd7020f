import type { TurnMessage } from '../../../models/messages.ts';
import { timeLimit } from '../../../platform/time-limit.ts';
import { type AskedModel, askForJson, askModel } from '../../eval-runs/execute/ask-model.ts';
import { readPersonaAnswer } from '../../personas/speak/answer.ts';
import { type PersonaTurn, personaPrompt } from '../../personas/speak/prompt.ts';
import { rehearsedPersona } from '../../personas/speak/rehearsed.ts';
import type { SessionParts } from './conduct.ts';
import type { RunInProcess } from './runs.ts';

/** Milliseconds of one answer, and its length in tokens, which for some models includes what they think. */
const longestCall = 90_000;
const mostTokens = 4_096;

type Said = ReturnType<typeof readPersonaAnswer>;

/** The persona of a session: a model that plays it, or templates. */
export class Speaker {
  private readonly run: RunInProcess;
  private readonly asked: AskedModel | undefined;
  private readonly signal: AbortSignal;

  private constructor(run: RunInProcess, asked: AskedModel | undefined, signal: AbortSignal) {
    this.run = run;
    this.asked = asked;
    this.signal = signal;
  }

  static async of(
    parts: SessionParts,
    run: RunInProcess,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<Speaker> {
    const { personaModel } = run.snapshot;
    const asked = personaModel ? await askModel(parts, run, sessionId, personaModel, signal) : undefined;
    return new Speaker(run, asked, signal);
  }

  async next(history: readonly TurnMessage[], turn: number): Promise<Said> {
    const { persona, journey, maxTurns } = this.run.snapshot;
    const given: PersonaTurn = {
      persona,
      goal: journey.goal,
      turn,
      maxTurns,
      transcript: spokenIn(history),
    };
    if (!this.asked) return rehearsedPersona(given);
    const text = await askForJson(this.asked, personaPrompt(given), {
      maxOutputTokens: mostTokens,
      abortSignal: AbortSignal.any([this.signal, timeLimit(longestCall)]),
    });
    return readPersonaAnswer(text);
  }

  get trouble(): Error | undefined {
    return this.asked?.trouble;
  }
}

/** What persona and agent said to each other; calls of tools are not heard. */
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
