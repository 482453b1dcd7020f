import { askedOf, playing } from '../journeys.ts';
import { type Script, type ScriptedProvider, startProvider } from '../scripted-provider.ts';

export const turnsOfSession = 3;
/** Prompts of trials begin with this text, which swarms never use. */
export const trialWords = 'Which ships are here, case';

/** The response time of the model in milliseconds. */
const latencyMs = 250;

const script: Script = playing({
  latencyMs,
  persona: (turn) => (turn < turnsOfSession ? { message: `Question ${turn}` } : { endSession: true }),
  agent: ({ results }) =>
    results === 0 ? { toolCalls: [{ name: 'list_ships', input: {} }] } : { text: 'Albatross and two more.' },
});

/** The model provider, which counts requests by the role that asks. */
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
