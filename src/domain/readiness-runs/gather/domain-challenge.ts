import type { Place } from './place.ts';

const path = '/.well-known/openai-apps-challenge';
const mostBytes = 4_096;

/** What is served where OpenAI looks for the token of a domain. */
export async function domainChallenge(
  { address, outbound }: Place,
  signal: AbortSignal,
): Promise<{ status: number; token: string }> {
  const headers = { accept: 'text/plain' };
  const reading = { document: true, bytes: mostBytes };
  const response = await outbound.fetch(new URL(path, address.url), { headers, signal }, reading);
  const token = response.status === 200 ? (await response.text()).trim() : '';
  // A page that is served for every path is no token.
  return { status: response.status, token: /^[\w.~+/=-]{1,500}$/.test(token) ? token : '' };
}
