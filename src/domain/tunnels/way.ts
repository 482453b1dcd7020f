import { Readable } from 'node:stream';
import { plain, type Way } from '../../mcp/outbound.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import { TunnelFailure } from '../../tunnels/relay-connection.ts';
import type { Services } from '../context.ts';
import { pathBehind } from './address.ts';
import { failureOfTunnel } from './refusal.ts';

/** How a server behind a tunnel is reached from inside: without the network, and without the secret of its address. */
export function wayTo(
  { tunnels }: Pick<Services, 'tunnels'>,
  { id: serverId, url: address, tunnelSlug: slug }: Pick<LiveServerRow, 'id' | 'url' | 'tunnelSlug'>,
): Way | undefined {
  if (slug === null || address === null) return undefined;
  return {
    origin: new URL(address).origin,
    send: async (url, init) => {
      const { body, signal } = init;
      const text = body === undefined || body === null ? undefined : Buffer.from(body as string);
      const done = new AbortController();
      const end = (): void => {
        signal?.removeEventListener('abort', end);
        done.abort();
      };
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      try {
        const answer = await tunnels.sendTo(slug, (protocol) => ({
          method: init.method ?? 'GET',
          path: pathBehind(url, { slug, serverId, protocol }),
          headers: [
            ...Object.entries(plain(init.headers)),
            ['accept-encoding', 'identity'],
            ...(text ? [['content-length', String(text.length)] as [string, string]] : []),
          ],
          body: text && once(text),
          signal: done.signal,
        }));
        // Whoever does not read all of it gives the rest up by that.
        const read = Readable.from(answer.body).once('close', end);
        return { statusCode: answer.status, headers: gathered(answer.headers), body: read };
      } catch (error) {
        end();
        throw error instanceof TunnelFailure && !signal?.aborted ? failureOfTunnel(error) : error;
      }
    },
  };
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Names in lower case, values of a name that comes more than once in a list. */
function gathered(headers: [string, string][]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const there = all[key];
    all[key] = there === undefined ? value : [there, value].flat();
  }
  return all;
}
