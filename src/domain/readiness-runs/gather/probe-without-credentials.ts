import { challengeOf } from '../../../mcp/challenge.ts';
import { failureIn } from '../../../mcp/failures.ts';
import { discover, type HandshakeRequest, initialize } from '../../../mcp/handshake-requests.ts';
import type { Outbound } from '../../../mcp/outbound.ts';
import { endSession } from '../../../mcp/probe.ts';
import { maxProbeBytes, readAnswer } from '../../../mcp/probe-answer.ts';
import type { ChallengeFacts, RedirectFacts } from '../../../readiness/evidence.ts';
import { shownUrl } from './endpoint.ts';

const maxRedirects = 5;
const maxTextLength = 500;

interface UnauthenticatedProbe {
  redirects: RedirectFacts;
  /** Omitted if there was no response. */
  challenge?: ChallengeFacts;
}

/**
 * Requests the server without credentials and follows redirects manually. Requests contain nothing confidential, so
 * redirects may lead to any address the guard allows.
 */
export async function probeWithoutCredentials(
  outbound: Outbound,
  address: string,
  signal: AbortSignal,
): Promise<UnauthenticatedProbe> {
  const hops: RedirectFacts['hops'] = [];
  const ended = (how: RedirectFacts['ended'], problem: string): UnauthenticatedProbe => ({
    redirects: { hops, ended: how, problem },
  });
  const seen = new Set<string>();
  let url = new URL(address);
  for (;;) {
    let response: Response;
    try {
      response = await send(outbound, url, initialize, signal);
    } catch (error) {
      const failure = failureIn(error);
      if (hops.length === 0 || signal.aborted || failure?.kind !== 'address') throw error;
      return ended('refused', `A redirect leads to an address that is not allowed: ${failure.message}`);
    }
    const { status, headers } = response;
    seen.add(url.href);
    hops.push({ url: shownUrl(url).slice(0, maxTextLength), secure: url.protocol === 'https:', status });
    const location = headers.get('location');
    if (status < 300 || status >= 400 || location === null)
      return {
        redirects: { hops, ended: 'answer' },
        challenge: await judged(outbound, url, response, signal),
      };
    if (!URL.canParse(location, url.href)) return ended('unusable', 'A redirect has an invalid address');
    const next = new URL(location, url);
    if (next.protocol !== 'http:' && next.protocol !== 'https:')
      return ended('unusable', `A redirect leads to ${next.protocol}`);
    if (seen.has(next.href)) return ended('loop', 'The redirects form a loop');
    if (hops.length > maxRedirects) return ended('too-many', `There are more than ${maxRedirects} redirects`);
    url = next;
  }
}

function send(
  outbound: Outbound,
  url: URL,
  { headers, body }: HandshakeRequest,
  signal: AbortSignal,
): Promise<Response> {
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
  return outbound.fetch(url, init, { bytes: maxProbeBytes });
}

async function judged(
  outbound: Outbound,
  url: URL,
  response: Response,
  signal: AbortSignal,
): Promise<ChallengeFacts> {
  const { status } = response;
  const { scheme, resourceMetadataUrl } = challengeOf(response).challenge ?? {};
  const { message } = await readAnswer(response, url.host);
  const place = { outbound, url: url.href, headers: {}, signal };
  await endSession(place, response.headers.get('mcp-session-id'));
  const answered =
    message?.result !== undefined || (status !== 401 && (await isModern(outbound, url, signal)));
  return {
    status,
    answered,
    ...(scheme !== undefined && { scheme: scheme.slice(0, maxTextLength) }),
    ...(resourceMetadataUrl !== undefined && {
      resourceMetadataUrl: resourceMetadataUrl.slice(0, maxTextLength),
    }),
  };
}

/** A server without sessions refuses the legacy handshake and answers the modern one. */
async function isModern(outbound: Outbound, url: URL, signal: AbortSignal): Promise<boolean> {
  const response = await send(outbound, url, discover, signal);
  return (await readAnswer(response, url.host)).message?.result !== undefined;
}
