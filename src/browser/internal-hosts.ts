import type { IncomingMessage, ServerResponse } from 'node:http';

/** The guard serves host names of this domain inside a session, so that nothing listens on the network. */
const domain = 'dd.localhost';

interface InternalRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
}

interface InternalAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
}

export type InternalHandler = (request: InternalRequest) => InternalAnswer | Promise<InternalAnswer>;

export class InternalHosts {
  private readonly handlers = new Map<string, InternalHandler>();

  /** `name` is a single label, such as `host` in host.dd.localhost. Returns the origin. */
  serve(name: string, handler: InternalHandler): string {
    const host = `${name}.${domain}`;
    this.handlers.set(host, handler);
    return `http://${host}`;
  }

  /** Whether the host is internal, even if no handler serves it. */
  holds(host: string): boolean {
    const name = host.replace(/\.$/, '');
    return name === domain || name.endsWith(`.${domain}`);
  }

  async answer(url: URL, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const handler = this.handlers.get(url.hostname);
    asked.resume();
    const { method = 'GET', headers } = asked;
    const made: InternalAnswer = handler
      ? await handler({ method, url, headers })
      : { status: 404, body: 'Nothing is here' };
    answer.writeHead(made.status ?? 200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      ...made.headers,
    });
    answer.end(made.body);
  }
}
