import { challengeOf } from './challenge.ts';
import { deadlineOf, type Wait } from './deadline.ts';
import { failureIn, McpFailure } from './failures.ts';
import { discover, type HandshakeRequest, initialize } from './handshake-requests.ts';
import { texts } from './http-channel.ts';
import { type AuthorizationFacts, discoverAuthorization } from './oauth.ts';
import { type Outbound, plain } from './outbound.ts';
import type { RpcAnswer } from './probe-answer.ts';
import {
  isEventStream,
  type ProbeAttempt,
  type ProbePlace,
  type ProbeReply,
  sendProbe,
} from './probe-request.ts';
import { Redactor } from './redactor.ts';
import { secretsOf } from './target.ts';

/** Share of the timeout for the transports. A slow server must not use up the rest, which is for the OAuth metadata. */
const shareOfTransports = 0.75;
/** Maximum milliseconds for the OAuth metadata, which is optional if the server did not ask for authorization. */
const maxForMetadata = { asked: 5000, unasked: 2000 };

/** Findings about an HTTP target without a session: its transports and their requirements. */
export interface ProbeFindings {
  attempts: ProbeAttempt[];
  transport: 'streamable-http' | 'sse' | null;
  /** Stateless revisions that the server names. */
  modernVersions: string[];
  /** The revision that the server chose in a legacy handshake. */
  legacyVersion?: string;
  initialize?: Record<string, unknown>;
  /** A summary of the first response. */
  firstAnswer?: string;
  wwwAuthenticate?: string;
  /** The failure for a 401 or 403 response. */
  unauthorized?: McpFailure;
  authorization: AuthorizationFacts;
  /** The redirect that was not followed. */
  redirect?: McpFailure;
  failure?: McpFailure;
}

/**
 * Tries each transport in turn, without the SDK, and records the exchange. Takes no longer than `wait` and reads a
 * limited part of each response; `outbound` limits each message.
 */
export async function probe(
  outbound: Outbound,
  url: string,
  stored: Record<string, string>,
  wait: Wait,
): Promise<ProbeFindings> {
  const ends = performance.now() + wait.timeout;
  const allowed = wait.allowed ?? wait.timeout;
  const deadline = deadlineOf({ ...wait, allowed, timeout: wait.timeout * shareOfTransports });
  const findings: ProbeFindings = { attempts: [], transport: null, modernVersions: [], authorization: {} };
  const secrets = secretsOf({ kind: 'http', url, headers: stored });
  const { attempts } = findings;
  const place = { outbound, url, headers: plain(stored), secrets, signal: deadline.signal, attempts };
  try {
    await tryStreamableHttp(place, findings);
    if (findings.transport === null && !findings.unauthorized) await tryEventStream(place, findings);
  } catch (error) {
    findings.failure = deadline.reason ?? failureIn(error) ?? new McpFailure('unknown', String(error));
  } finally {
    deadline.end();
  }
  if (!findings.failure || findings.unauthorized) {
    const most = findings.unauthorized ? maxForMetadata.asked : maxForMetadata.unasked;
    const left = Math.min(most, ends - performance.now());
    await addAuthorization(outbound, url, findings, { ...wait, timeout: Math.max(1, left) });
  }
  return new Redactor(secrets).hide(findings);
}

async function addAuthorization(
  outbound: Outbound,
  url: string,
  findings: ProbeFindings,
  wait: Wait,
): Promise<void> {
  const deadline = deadlineOf(wait);
  const metadataUrl = findings.unauthorized?.facts.challenge?.resourceMetadataUrl;
  const facts = discoverAuthorization(outbound, url, metadataUrl, deadline.signal);
  findings.authorization = await deadline
    .race(facts)
    .catch(() => ({ problem: 'Reading the OAuth metadata timed out' }));
  deadline.end();
}

/** Tries the handshake of the newest revision, then that of older ones. */
async function tryStreamableHttp(place: ProbePlace, findings: ProbeFindings): Promise<void> {
  const discovered = await ask(place, findings, discover);
  if (discovered.response.status === 401) return;
  const { result, error } = discovered.message ?? {};
  const named = result?.['supportedVersions'] ?? supportedIn(error);
  if (Array.isArray(named)) findings.modernVersions = texts(named);
  if (result && Array.isArray(named)) findings.transport = 'streamable-http';
  const initialized = await ask(place, findings, initialize);
  const chosen = initialized.message?.result;
  if (typeof chosen?.['protocolVersion'] !== 'string') return;
  findings.transport = 'streamable-http';
  findings.legacyVersion = chosen['protocolVersion'];
  findings.initialize = chosen;
  await endSession(place, initialized.response.headers.get('mcp-session-id'));
}

/** The transport of 2024-11-05 starts with an event stream. */
async function tryEventStream(place: ProbePlace, findings: ProbeFindings): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([place.signal, stop.signal]);
  const headers = { accept: 'text/event-stream' };
  const reply = await sendProbe({ ...place, signal }, { name: 'events', method: 'GET', headers });
  note(findings, reply);
  if (isEventStream(reply.response)) findings.transport = 'sse';
  stop.abort();
}

async function ask(
  place: ProbePlace,
  findings: ProbeFindings,
  { name, headers, body }: HandshakeRequest,
): Promise<ProbeReply> {
  const reply = await sendProbe(place, { name, method: 'POST', headers, body });
  note(findings, reply);
  return reply;
}

function note(findings: ProbeFindings, { response, redirect, message }: ProbeReply): void {
  findings.firstAnswer ??= inAFewWords(response, message);
  if (redirect) findings.redirect = redirect;
  if (response.status !== 401) return;
  const header = response.headers.get('www-authenticate');
  if (header !== null) findings.wwwAuthenticate = header;
  findings.unauthorized = new McpFailure('unauthorized', 'The server requires authorization', {
    status: 401,
    ...challengeOf(response),
  });
}

/** Ends the session on the server, which is no longer needed. */
export async function endSession(
  place: Pick<ProbePlace, 'outbound' | 'url' | 'headers' | 'signal'>,
  session: string | null,
): Promise<void> {
  if (session === null) return;
  const headers = { ...place.headers, 'mcp-session-id': session };
  const request = { method: 'DELETE', headers, signal: place.signal };
  await place.outbound.fetch(place.url, request).catch(() => {});
}

function supportedIn(error: RpcAnswer['error']): unknown {
  return error?.code === -32022 ? (error.data as { supported?: unknown } | undefined)?.supported : undefined;
}

function inAFewWords(response: Response, message: RpcAnswer | undefined): string {
  if (message?.result) return 'a JSON-RPC result without a protocol revision';
  if (typeof message?.error?.code === 'number')
    return `JSON-RPC error ${message.error.code}: ${message.error.message}`.slice(0, 300);
  const type = response.headers.get('content-type') ?? 'no content type';
  return `HTTP ${response.status}, ${type}`;
}
