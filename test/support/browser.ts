import { type ConsoleClient, createConsoleClient } from '../../src/surfaces/client/console.ts';
import { type Client, createClient } from '../../src/surfaces/client/index.ts';
import type { Answer, TestService } from './service.ts';

export interface Sent {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A browser with a page of the console open: it keeps cookies, and sends what such a page sends. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly people: ConsoleClient;
  readonly api: Client;
  /** The last answer's cookies as they were set. */
  setCookies: string[] = [];
  private readonly origin: string;

  constructor({ running: { address } }: TestService, headers: Record<string, string> = {}) {
    this.origin = address;
    const options = { baseUrl: address, headers, retries: 0, fetch: this.fetch };
    this.people = createConsoleClient(options);
    this.api = createClient(options);
  }

  get session(): string | undefined {
    return this.cookies.get('drydock_session') ?? this.cookies.get('__Host-drydock_session');
  }

  /** As a page of the console sends it. */
  readonly fetch: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('x-drydock-console')) headers.set('x-drydock-console', '1');
    if (!headers.has('origin')) headers.set('origin', this.origin);
    if (!headers.has('sec-fetch-site')) headers.set('sec-fetch-site', 'same-origin');
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookie) headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers });
    this.keep(response);
    return response;
  };

  /** With exactly these headers besides the cookies. */
  async send(path: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.origin}${path}`, {
      method,
      headers: {
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.keep(response);
    const text = await response.text();
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    return { status: response.status, headers: response.headers, body: parsed, text };
  }

  private keep({ headers }: Response): void {
    this.setCookies = headers.getSetCookie();
    for (const line of this.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

export const rightPassword = 'correct horse battery';
