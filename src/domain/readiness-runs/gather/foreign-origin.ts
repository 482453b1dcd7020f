import { discover, initialize } from '../../../mcp/handshake-requests.ts';
import { plain } from '../../../mcp/outbound.ts';
import { endSession } from '../../../mcp/probe.ts';
import { type ProbePlace, sendProbe } from '../../../mcp/probe-request.ts';
import { type Known, unknown } from '../../../readiness/evidence.ts';
import type { InspectedServer } from './inspected-server.ts';

/** The `.invalid` domain is never registered. */
const elsewhere = 'https://drydock-origin-check.invalid';

/**
 * Tests whether the server accepts requests with a foreign `Origin`. A request without an origin serves as the
 * control.
 */
export async function foreignOrigin(
  place: InspectedServer,
  signal: AbortSignal,
): Promise<Known<{ accepted: boolean; status: number }>> {
  const { address, outbound, secrets } = place;
  const token = await address.credential?.token();
  if (token !== undefined && token.length >= 6) secrets.push(token);
  const headers = {
    ...plain(address.headers),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const probe: ProbePlace = { outbound, url: address.url, headers, secrets, signal, attempts: [] };
  const usual = await greet(probe, {});
  if (!usual.accepted && usual.status === 401)
    return unknown('The server requires authorization, and no credentials are saved for it', 'credentials');
  if (!usual.accepted)
    return unknown(`The server answers the same request without an Origin with HTTP status ${usual.status}`);
  return { known: true, value: await greet(probe, { origin: elsewhere }) };
}

async function greet(
  probe: ProbePlace,
  extra: Record<string, string>,
): Promise<{ accepted: boolean; status: number }> {
  let last = 0;
  for (const { name, headers, body } of [initialize, discover]) {
    const request = { name, method: 'POST' as const, headers: { ...headers, ...extra }, body };
    const { response, message } = await sendProbe(probe, request);
    await endSession(probe, response.headers.get('mcp-session-id'));
    if (message?.result !== undefined) return { accepted: true, status: response.status };
    last = response.status;
    if (last === 401) break;
  }
  return { accepted: false, status: last };
}
