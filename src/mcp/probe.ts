import { Deadline, type Wait } from './deadline.ts';
import { failureIn, McpFailure } from './failures.ts';
import { challengeOf, meaningOf, redirectFailure } from './http-line.ts';
import { type AuthorizationFacts, discoverAuthorization } from './oauth.ts';
import type { Outbound } from './outbound.ts';
import { hideSecrets, secretsOf } from './target.ts';

const newest = '2026-07-28';
const newestLegacy = '2025-11-25';
const mostRedirects = 5;

interface ProbeAttempt {
  transport: 'streamable-http' | 'sse';
  request: string;
  status?: number;
  outcome: string;
  durationMs: number;
}

/** What can be seen of an HTTP target without a session: which doors open, and what they ask for. */
export interface ProbeFindings {
  attempts: ProbeAttempt[];
  transport: 'streamable-http' | 'sse' | null;
  /** Revisions of the stateless era that the server names. */
  modernVersions: string[];
  /** The revision it chose when it was asked the old way. */
  legacyVersion?: string;
  initialize?: Record<string, unknown>;
  wwwAuthenticate?: string;
  /** The refusal to talk to strangers, if that is what we are. */
  unauthorized?: McpFailure;
  authorization: AuthorizationFacts;
  /** Where it sent us instead of answering. */
  redirect?: McpFailure;
  failure?: McpFailure;
}

interface Reply {
  status: number;
  headers: Headers;
  message?: { result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown } };
}

/** Knocks at each door in turn, without an SDK in between, and writes down what happens. */
export async function probe(
  outbound: Outbound,
  url: string,
  headers: Record<string, string>,
  wait: Wait,
): Promise<ProbeFindings> {
  const deadline = new Deadline(wait);
  const findings: ProbeFindings = { attempts: [], transport: null, modernVersions: [], authorization: {} };
  try {
    const knocks = new Knocks(outbound, url, headers, deadline.signal, findings);
    await knocks.streamable();
    if (findings.transport === null && !findings.unauthorized) await knocks.events();
  } catch (error) {
    findings.failure = deadline.reason ?? failureIn(error) ?? new McpFailure('unknown', String(error));
  } finally {
    deadline.end();
  }
  if (!findings.failure || findings.unauthorized) await addAuthorization(outbound, url, findings, wait);
  return hideSecrets(findings, secretsOf({ kind: 'http', url, headers }));
}

async function addAuthorization(
  outbound: Outbound,
  url: string,
  findings: ProbeFindings,
  wait: Wait,
): Promise<void> {
  const deadline = new Deadline({ ...wait, timeout: Math.min(wait.timeout, 5000) });
  const metadataUrl = findings.unauthorized?.facts.challenge?.resourceMetadataUrl;
  const facts = discoverAuthorization(outbound, url, metadataUrl, deadline.signal);
  findings.authorization = await deadline
    .race(facts)
    .catch(() => ({ problem: 'The OAuth metadata did not come in time' }));
  deadline.end();
}

class Knocks {
  private readonly outbound: Outbound;
  private readonly url: string;
  private readonly headers: Record<string, string>;
  private readonly signal: AbortSignal;
  private readonly findings: ProbeFindings;

  constructor(
    outbound: Outbound,
    url: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    findings: ProbeFindings,
  ) {
    this.outbound = outbound;
    this.url = url;
    this.headers = headers;
    this.signal = signal;
    this.findings = findings;
  }

  async streamable(): Promise<void> {
    const { findings } = this;
    const discover = await this.post('server/discover', discoverParams, {
      'mcp-protocol-version': newest,
      'mcp-method': 'server/discover',
    });
    if (discover.status === 401) return;
    const named = discover.message?.result?.['supportedVersions'] ?? supportedIn(discover.message?.error);
    if (Array.isArray(named)) findings.modernVersions = named.map(String);
    if (discover.message?.result && Array.isArray(named)) findings.transport = 'streamable-http';
    const initialize = await this.post('initialize', initializeParams, {});
    const chosen = initialize.message?.result?.['protocolVersion'];
    if (typeof chosen === 'string') {
      findings.transport = 'streamable-http';
      findings.legacyVersion = chosen;
      findings.initialize = initialize.message?.result as Record<string, unknown>;
      await this.leave(initialize.headers.get('mcp-session-id'));
    }
  }

  async events(): Promise<void> {
    const stop = new AbortController();
    const response = await this.knock('sse', 'GET', 'GET for events', {
      headers: { ...this.headers, accept: 'text/event-stream' },
      signal: AbortSignal.any([this.signal, stop.signal]),
    });
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    if (response.ok && isStream) this.findings.transport = 'sse';
    stop.abort();
  }

  private async post(method: string, params: object, headers: Record<string, string>): Promise<Reply> {
    const response = await this.knock('streamable-http', 'POST', `POST ${method}`, {
      method: 'POST',
      headers: {
        ...this.headers,
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: this.signal,
    });
    const message = await firstMessage(response);
    const attempt = this.findings.attempts.at(-1);
    if (attempt) attempt.outcome = outcomeOf(response, message);
    return { status: response.status, headers: response.headers, ...(message && { message }) };
  }

  private async knock(
    transport: ProbeAttempt['transport'],
    method: string,
    request: string,
    init: RequestInit,
  ): Promise<Response> {
    const started = performance.now();
    const attempt: ProbeAttempt = { transport, request, outcome: 'no answer', durationMs: 0 };
    this.findings.attempts.push(attempt);
    try {
      const response = await this.arrive(method, init);
      attempt.status = response.status;
      attempt.outcome = outcomeOf(response, undefined);
      if (response.status === 401) {
        const header = response.headers.get('www-authenticate');
        if (header !== null) this.findings.wwwAuthenticate = header;
        this.findings.unauthorized = new McpFailure('unauthorized', 'The server asks for authorization', {
          status: 401,
          ...challengeOf(response),
        });
      }
      return response;
    } catch (error) {
      attempt.outcome = failureIn(error)?.message ?? 'no answer in time';
      throw error;
    } finally {
      attempt.durationMs = Math.round(performance.now() - started);
    }
  }

  /** Goes where the SDK would go: along redirects that stay on the server. */
  private async arrive(method: string, init: RequestInit): Promise<Response> {
    let url = new URL(this.url);
    for (let hops = 0; ; hops++) {
      const response = await this.outbound.fetch(url, { method, ...init });
      const { status } = response;
      if (status < 300 || status >= 400) return response;
      const location = response.headers.get('location');
      this.findings.redirect =
        redirectFailure(this.outbound, url, response, method) ??
        new McpFailure('status', meaningOf(status), { status });
      if (this.findings.redirect.kind === 'redirect' || location === null || hops === mostRedirects)
        return response;
      url = new URL(location, url);
    }
  }

  /** The server need not remember somebody who only knocked. */
  private async leave(session: string | null): Promise<void> {
    if (session === null) return;
    const headers = { ...this.headers, 'mcp-session-id': session };
    await this.outbound.fetch(this.url, { method: 'DELETE', headers, signal: this.signal }).catch(() => {});
  }
}

const clientInfo = { name: 'drydock-probe', version: '1.0.0' };
const discoverParams = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const initializeParams = { protocolVersion: newestLegacy, capabilities: {}, clientInfo };

function supportedIn(error: { code: number; data?: unknown } | undefined): unknown {
  return error?.code === -32022 ? (error.data as { supported?: unknown } | undefined)?.supported : undefined;
}

function outcomeOf(response: Response, message: Reply['message']): string {
  if (message?.result) return 'answered';
  if (typeof message?.error?.code === 'number')
    return `JSON-RPC error ${message.error.code}: ${message.error.message}`.slice(0, 300);
  const type = response.headers.get('content-type') ?? 'no content type';
  return `HTTP ${response.status}, ${type}`;
}

/** The first JSON-RPC message of an answer, whichever of the two forms it has. */
async function firstMessage(response: Response): Promise<Reply['message']> {
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/event-stream\b/i.test(type) && response.body) return firstEvent(response.body);
  return parse(await response.text());
}

async function firstEvent(body: ReadableStream<Uint8Array>): Promise<Reply['message']> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      text += decoder.decode(value, { stream: true });
      const events = text.split(/\r?\n\r?\n/);
      const answer = (done ? events : events.slice(0, -1)).map(messageIn).find(isAnswer);
      if (answer) return answer;
      if (done) return undefined;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function messageIn(event: string): Reply['message'] {
  return parse([...event.matchAll(/^data: ?(.*)$/gm)].map((line) => line[1]).join('\n'));
}

function isAnswer(message: Reply['message']): boolean {
  return message?.result !== undefined || message?.error !== undefined;
}

function parse(text: string): Reply['message'] {
  try {
    const value = JSON.parse(text) as Reply['message'];
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
