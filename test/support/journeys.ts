import { Evals, scriptedModel } from './evals.ts';
import type { Script } from './scripted-provider.ts';
import type { TestService } from './service.ts';

// Tests read arbitrary answers.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Journeys of one project. */
export class Journeys {
  readonly service: TestService;
  readonly project: string;
  readonly projectId: string;
  private readonly evals: Evals;
  private made = 0;

  private constructor(evals: Evals) {
    this.evals = evals;
    this.service = evals.service;
    this.project = evals.project;
    this.projectId = evals.project.slice('/projects/'.length);
  }

  static async of(service: TestService): Promise<Journeys> {
    return Journeys.besides(await Evals.of(service, 'Journeys'));
  }

  /** Journeys in the same project. */
  static besides(evals: Evals): Journeys {
    return new Journeys(evals);
  }

  server(fields: object = {}): Promise<string> {
    return this.evals.server(fields);
  }

  /** A client with a model and servers; each is a target. */
  async client(serverIds: string[], config: object = {}): Promise<string> {
    const name = `client ${++this.made}`;
    const body = { name, config: { modelId: scriptedModel, serverIds, ...config } };
    return (await this.ok(this.service.post(`${this.project}/clients`, body))).id;
  }

  async persona(fields: object = {}): Promise<string> {
    const body = { name: `Persona ${++this.made}`, role: 'harbour master', ...fields };
    return (await this.ok(this.service.post(`${this.project}/personas`, body))).id;
  }

  async journey(fields: object = {}): Promise<string> {
    const personaId = await this.persona();
    const body = {
      goal: 'Find out which ships are here.',
      personaId,
      sessionsPerTarget: 1,
      maxTurns: 3,
      ...fields,
    };
    return (await this.ok(this.service.post(`${this.project}/journeys`, body))).id;
  }

  launchAnswer(journeyId: string, body?: object, key?: string): ReturnType<TestService['post']> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return this.service.post(`${this.project}/journeys/${journeyId}/runs`, body, { headers });
  }

  async launch(journeyId: string, body?: object, key?: string): Promise<string> {
    return (await this.ok(this.launchAnswer(journeyId, body, key))).id;
  }

  async read(runId: string, below = ''): Promise<Body> {
    return this.ok(this.service.get(`${this.project}/journey-runs/${runId}${below}`));
  }

  /** Follows a run until it has ended and was graded, and returns its events. */
  async follow(runId: string): Promise<Body[]> {
    const response = await fetch(
      `${this.service.running.baseUrl}${this.project}/journey-runs/${runId}/events`,
      {
        headers: { authorization: `Bearer ${this.service.key}` },
      },
    );
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string));
  }

  /** The run, once it is over and graded. */
  async over(runId: string): Promise<Body> {
    await this.follow(runId);
    return this.read(runId);
  }

  async ok(answered: Promise<{ status: number; text: string; body: Body }>): Promise<Body> {
    const { status, text, body } = await answered;
    if (status >= 300) throw new Error(`${status} ${text}`);
    return body;
  }
}

export type Asked = 'persona' | 'judge' | 'agent';

/** The role that must answer, recognized by the instructions in the request. */
export function askedOf(request: Parameters<Script>[0]): Asked {
  const [first] = request.body.messages as { role: string; content: unknown }[];
  const system = first?.role === 'system' ? JSON.stringify(first.content) : '';
  if (/You judge a recorded conversation/.test(system)) return 'judge';
  return /endSession/.test(system) ? 'persona' : 'agent';
}

/** A provider that plays persona, agent and judge. `turn` counts the earlier messages of the persona. */
export function playing(parts: {
  persona?: (turn: number) => object;
  agent?: Script;
  judge?: () => object;
  latencyMs?: number;
}): Script {
  return (request) => {
    const { persona, agent, judge, latencyMs = 0 } = parts;
    const asked = askedOf(request);
    if (asked === 'agent') return { latencyMs, ...(agent?.(request) ?? { text: 'There are three ships.' }) };
    if (asked === 'judge') {
      const verdict = judge?.() ?? { score: 1 };
      const groundedness = { score: 1, unsupportedClaims: [], reason: 'fine' };
      return {
        latencyMs,
        text: JSON.stringify({ reason: 'because', rubricHits: [], groundedness, ...verdict }),
      };
    }
    const turn = Number(/TURN: message (\d+)/.exec(JSON.stringify(request.body.messages))?.[1]) - 1;
    return { latencyMs, text: JSON.stringify(persona?.(turn) ?? { message: `Question ${turn}` }) };
  };
}
