import { Evals, scriptedModel } from './evals.ts';
import type { Answer, TestService } from './service.ts';

// Tests read arbitrary answers.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Studies of one project. */
export class Studies {
  readonly service: TestService;
  readonly project: string;
  readonly projectId: string;
  readonly evals: Evals;
  private made = 0;

  private constructor(evals: Evals) {
    this.evals = evals;
    this.service = evals.service;
    this.project = evals.project;
    this.projectId = evals.project.slice('/projects/'.length);
  }

  static async of(service: TestService, name = 'Studies'): Promise<Studies> {
    return Studies.besides(await Evals.of(service, name));
  }

  /** Studies in the same project. */
  static besides(evals: Evals): Studies {
    return new Studies(evals);
  }

  /** An environment of one client with these servers. */
  async environment(serverIds: string[], config: object = {}): Promise<string> {
    const at = ++this.made;
    const client = { name: `client ${at}`, config: { modelId: scriptedModel, serverIds, ...config } };
    const { id: hostId } = ok(await this.service.post(`${this.project}/clients`, client));
    return ok(await this.service.post(`${this.project}/environments`, { name: `harbour ${at}`, hostId })).id;
  }

  put(path: string, body?: object): Promise<Answer> {
    return this.service.request('PUT', `${this.project}${path}`, { body });
  }

  async publish(environmentId: string, body: object = { mode: 'anyone_with_link' }): Promise<Body> {
    return ok(await this.put(`/environments/${environmentId}/study`, body));
  }

  async read(studyId: string, below = ''): Promise<Body> {
    return ok(await this.service.get(`${this.project}/studies/${studyId}${below}`));
  }
}

export function ok(answer: Answer): Body {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** The token in the fragment of a link. */
export function tokenIn(link: string): string {
  return link.slice(link.indexOf('#') + 1);
}

/** A visitor with a browser, who enters by a link. */
export class Visitor {
  token: string | undefined;
  private readonly service: TestService;
  private keys = 0;
  /** The session cookie of a signed-in visitor. */
  cookie: string | undefined;

  constructor(service: TestService, cookie?: string) {
    this.service = service;
    this.cookie = cookie;
  }

  request(method: string, path: string, body?: object): Promise<Answer> {
    const headers = {
      'x-drydock-console': '1',
      ...(this.cookie !== undefined && { cookie: `drydock_session=${this.cookie}` }),
    };
    const key = this.token ?? null;
    return this.service.request(method, path, { base: '/visit/api', key, headers, ...(body && { body }) });
  }

  async enter(link: string, more: object = {}): Promise<Answer> {
    const token = tokenIn(link);
    const led = token.startsWith('t.') ? { ticket: token.slice(2) } : { link: token };
    const before = this.token;
    this.token = undefined;
    const answer = await this.request('POST', '/study/enter', { ...led, ...more });
    this.token = answer.status === 201 ? answer.body.token : before;
    return answer;
  }

  /** Returns all events of a turn, or the refusal as the only event. */
  async say(
    message: string,
    sessionId?: string,
    onEvent: (event: Body) => void | Promise<void> = () => {},
  ): Promise<{ status: number; events: Body[]; last: Body }> {
    const { origin } = this.service;
    const response = await fetch(`${origin}/visit/api/visit/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        idempotencyKey: `visit ${++this.keys}`,
        message,
        ...(sessionId !== undefined && { sessionId }),
      }),
    });
    if (!response.ok) {
      const body = (await response.json()) as Body;
      return { status: response.status, events: [], last: body };
    }
    const events: Body[] = [];
    for await (const event of eventsOf(response)) {
      events.push(event);
      await onEvent(event);
    }
    return { status: 200, events, last: events.at(-1) };
  }
}

async function* eventsOf(response: Response): AsyncGenerator<Body> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    for (const one of whole) {
      const data = /^data: (.*)$/m.exec(one)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
