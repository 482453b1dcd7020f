import { askedOf, playing } from '../journeys.ts';
import { type Script, type ScriptedProvider, startProvider } from '../scripted-provider.ts';

/** What a session of the swarm is made of. */
export const turnsOfSession = 3;
/** A prompt of a trial begins so; a swarm says nothing like it. */
export const trialWords = 'Which ships are here, case';

/** Milliseconds that a model thinks. */
const latencyMs = 250;

const script: Script = playing({
  latencyMs,
  persona: (turn) => (turn < turnsOfSession ? { message: `Question ${turn}` } : { endSession: true }),
  agent: ({ results }) =>
    results === 0 ? { toolCalls: [{ name: 'list_ships', input: {} }] } : { text: 'Albatross and two more.' },
});

/** The provider of models, which counts by whom it is asked. */
export class Models {
  readonly asked = { trials: 0, agents: 0, personas: 0, judges: 0 };
  private readonly provider: ScriptedProvider;

  private constructor(provider: ScriptedProvider) {
    this.provider = provider;
    provider.script = (request) => {
      this.asked[this.askerOf(request)]++;
      return script(request);
    };
  }

  static async start(): Promise<Models> {
    return new Models(await startProvider(script, { keep: 0 }));
  }

  get url(): string {
    return this.provider.url;
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  private askerOf(request: Parameters<Script>[0]): keyof Models['asked'] {
    const asked = askedOf(request);
    if (asked !== 'agent') return asked === 'persona' ? 'personas' : 'judges';
    return JSON.stringify(request.body.messages).includes(trialWords) ? 'trials' : 'agents';
  }
}
