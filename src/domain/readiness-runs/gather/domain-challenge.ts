import type { InspectedServer } from './inspected-server.ts';

const path = '/.well-known/openai-apps-challenge';
const maxBytes = 4_096;

/** Fetches OpenAI's domain verification token from its well-known path. */
export async function domainChallenge(
  { address, outbound }: InspectedServer,
  signal: AbortSignal,
): Promise<{ status: number; token: string }> {
  const headers = { accept: 'text/plain' };
  const reading = { document: true, bytes: maxBytes };
  const response = await outbound.fetch(new URL(path, address.url), { headers, signal }, reading);
  const token = response.status === 200 ? (await response.text()).trim() : '';
  // A catch-all page does not look like a token.
  return { status: response.status, token: /^[\w.~+/=-]{1,500}$/.test(token) ? token : '' };
}
