import { failureIn, McpFailure } from './failures.ts';
import { meaningOf, redirectFailure } from './http-channel.ts';
import { type Outbound, plain } from './outbound.ts';
import { maxProbeBytes, type ProbeAnswer, readAnswer } from './probe-answer.ts';
import { beginningWithoutSecrets } from './target.ts';

const maxRedirects = 5;
/** Characters of a body that are shown, and that are searched for secrets. */
const shownBody = 2048;
const searchedBody = 64 * 1024;

/** One request of a probe and its response, for people to read, with secrets hidden. */
export interface ProbeAttempt {
  name: string;
  request: { method: string; url: string; headers: Record<string, string>; body?: unknown };
  response?: { status: number; headers: Record<string, string>; contentType?: string; body?: string };
  error?: string;
  durationMs: number;
}

export interface ProbePlace {
  outbound: Outbound;
  url: string;
  /** Stored with the server, so their values are secret. Names are lowercase. */
  headers: Record<string, string>;
  secrets: string[];
  signal: AbortSignal;
  attempts: ProbeAttempt[];
}

export interface ProbeRequest {
  name: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: unknown;
}

export interface ProbeReply extends Partial<ProbeAnswer> {
  response: Response;
  /** The redirect that was not followed. */
  redirect?: McpFailure;
}

/** Sends a request and records both sides. The stream of a GET is not read. */
export async function sendProbe(place: ProbePlace, request: ProbeRequest): Promise<ProbeReply> {
  const { name, method, body } = request;
  const started = performance.now();
  const sent = { method, url: place.url, headers: shownHeaders(place, request.headers) };
  const attempt: ProbeAttempt = {
    name,
    request: { ...sent, ...(body !== undefined && { body }) },
    durationMs: 0,
  };
  place.attempts.push(attempt);
  try {
    const { url, ...reply } = await followRedirects(place, request);
    const { response } = reply;
    attempt.request.url = url.href;
    attempt.response = shownResponse(response);
    if (method === 'GET' && isEventStream(response)) return reply;
    const answer = await readAnswer(response, url.host);
    attempt.response.body = shownText(answer.text, place.secrets);
    return { ...reply, ...answer };
  } catch (error) {
    const failure = failureIn(error) ?? failureIn(place.signal.reason);
    attempt.error = failure?.message ?? String(error);
    throw error;
  } finally {
    attempt.durationMs = Math.round(performance.now() - started);
  }
}

/** Follows redirects like the SDK: those that stay on the server. */
async function followRedirects(
  { outbound, url: first, headers, signal }: ProbePlace,
  request: ProbeRequest,
): Promise<ProbeReply & { url: URL }> {
  const { method, body } = request;
  let url = new URL(first);
  for (let hops = 0; ; hops++) {
    const init = {
      method,
      headers: { ...headers, ...request.headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    };
    const response = await outbound.fetch(url, init, { bytes: maxProbeBytes });
    const { status } = response;
    if (status < 300 || status >= 400) return { url, response };
    const location = response.headers.get('location');
    const refused = redirectFailure(outbound, url, response, method);
    if (refused || location === null || !URL.canParse(location, url.href) || hops === maxRedirects)
      return {
        url,
        response,
        redirect: refused ?? new McpFailure('status', meaningOf(status), { status }),
      };
    url = new URL(location, url);
  }
}

export function isEventStream({ ok, headers }: Response): boolean {
  return ok && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

function shownHeaders(place: ProbePlace, own: Record<string, string>): Record<string, string> {
  const stored = Object.keys(place.headers).map((name) => [name, '[hidden]']);
  return { ...(Object.fromEntries(stored) as Record<string, string>), ...plain(own) };
}

/** Headers that would let a reader continue the session. */
const sessionHeaders = ['set-cookie', 'mcp-session-id'];

function shownResponse({ status, headers }: Response): NonNullable<ProbeAttempt['response']> {
  const contentType = headers.get('content-type');
  const shown = [...headers].map(([name, value]) => [
    name,
    sessionHeaders.includes(name) ? '[hidden]' : value,
  ]);
  return {
    status,
    headers: Object.fromEntries(shown) as Record<string, string>,
    ...(contentType !== null && { contentType }),
  };
}

/** A body that fills the limit may have been cut off. */
function shownText(text: string, secrets: readonly string[]): string {
  const cut = Buffer.byteLength(text) >= searchedBody;
  return beginningWithoutSecrets(
    text,
    secrets,
    shownBody,
    cut ? Math.min(searchedBody, text.length - 1) : searchedBody,
  );
}
