import { Agent, request } from 'node:http';

/** A lean client of the API: what it costs would count as ours. */
export class Api {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly base: string;
  private readonly key: string;
  private project = '';
  private saved = 0;

  private constructor(base: string, key: string) {
    this.base = base;
    this.key = key;
  }

  static async open(base: string, key: string): Promise<Api> {
    const api = new Api(base, key);
    const { items } = (await api.send('GET', '/projects')) as { items: { id: string }[] };
    api.project = `/projects/${items[0]?.id}`;
    return api;
  }

  /** The path of a new server. */
  async save(fields: object): Promise<string> {
    const name = `server ${this.saved++}`;
    const { id } = (await this.send('POST', `${this.project}/servers`, { name, ...fields })) as {
      id: string;
    };
    return `${this.project}/servers/${id}`;
  }

  async call(server: string): Promise<void> {
    await this.send('POST', `${server}/tools/call`, { toolName: 'echo', parameters: { message: 'ahoy' } });
  }

  private send(method: string, path: string, body?: object): Promise<unknown> {
    const content = body === undefined ? '' : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(`${this.base}${path}`, {
        method,
        agent: this.agent,
        headers: {
          authorization: `Bearer ${this.key}`,
          ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
        },
      });
      sent.on('error', reject).on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(text));
          else reject(new Error(`${response.statusCode} ${text}`));
        });
      });
      sent.end(content);
    });
  }
}
