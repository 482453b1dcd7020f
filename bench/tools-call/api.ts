import { Pool } from 'undici';

/** A lean client of the API: what it costs would count as ours. */
export class Api {
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly key: string;
  private project = '';
  private saved = 0;

  private constructor(base: string, key: string) {
    const { origin, pathname } = new URL(base);
    this.pool = new Pool(origin, { connections: 64 });
    this.prefix = pathname;
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

  private async send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const { statusCode, body: answer } = await this.pool.request({
      method,
      path: `${this.prefix}${path}`,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${statusCode} ${text}`);
    return JSON.parse(text);
  }
}
