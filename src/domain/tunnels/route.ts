import { Readable } from 'node:stream';
import { type OutboundRoute, plain } from '../../mcp/outbound.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import { TunnelFailure } from '../../tunnels/relay-connection.ts';
import type { Services } from '../context/context.ts';
import { pathBehind } from './address.ts';
import { failureOfTunnel } from './refusal.ts';

/** Reaches a tunneled server internally: without the network and without the secret of its address. */
export function tunnelRoute(
  { tunnels }: Pick<Services, 'tunnels'>,
  { id: serverId, url: address, tunnelSlug: slug }: Pick<LiveServerRow, 'id' | 'url' | 'tunnelSlug'>,
): OutboundRoute | undefined {
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
        // A reader that stops early closes the stream and thereby cancels the rest.
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

/** Lower-case names; repeated headers become lists. */
function gathered(headers: [string, string][]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const there = all[key];
    all[key] = there === undefined ? value : [there, value].flat();
  }
  return all;
}
