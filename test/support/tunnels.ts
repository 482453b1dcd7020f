import { request as httpRequest } from 'node:http';
import { WebSocket } from 'ws';
import { holdTunnel, type TunnelEvent } from '../../src/tunnels/client.ts';
import { type Frame, withoutCredit } from '../../src/tunnels/wire.ts';
import type { TestService } from './service.ts';

export interface Grant {
  serverId: string;
  slug: string;
  url: string;
  connectToken: string;
  relayWsUrl: string;
  existed: boolean;
  secretVersion: number;
}

/** A client that holds a tunnel open. */
export interface Holder {
  /** Events of the client. */
  events: TunnelEvent[];
  /** How it ended: the final close code, or `stopped` by its owner. */
  ended: Promise<number | 'stopped'>;
  /** Resolves when the service has greeted it so many times. */
  greeted(times?: number): Promise<void>;
  stop(): void;
}

/** Holds a tunnel with our own client. */
export function hold(grant: Grant, target: string, relay = grant.relayWsUrl): Holder {
  const stopping = new AbortController();
  const events: TunnelEvent[] = [];
  let heard = (): void => {};
  const ended = holdTunnel({
    relay,
    token: grant.connectToken,
    target: new URL(target),
    prefix: '/mcp',
    signal: stopping.signal,
    tell: (event) => {
      events.push(event);
      heard();
    },
  }).then(
    () => 'stopped' as const,
    ({ code }: { code: number }) => code,
  );
  return {
    events,
    ended,
    greeted: async (times = 1) => {
      while (events.filter(({ type }) => type === 'connected').length < times)
        await new Promise<void>((resolve) => (heard = resolve));
    },
    stop: () => stopping.abort(),
  };
}

/**
 * Holds a tunnel with an older client, for the protocol without flow control: paths name the server by its
 * ID, and everything from the server behind it is sent at once.
 */
export function holdAsBefore(grant: Grant, target: string): Holder {
  const events: TunnelEvent[] = [];
  const socket = new WebSocket(grant.relayWsUrl, withoutCredit, {
    headers: { authorization: `Bearer ${grant.connectToken}` },
  });
  const requests = new Map<number, ReturnType<typeof httpRequest>>();
  let heard = (): void => {};
  const say = (frame: Frame): void => socket.send(JSON.stringify(frame));
  const begin = ({ id, method, url, headers, hasBody }: Frame & { t: 'req' }): void => {
    const { hostname, host, port, pathname } = new URL(target);
    const own = `/api/mcp/adapter-http/${grant.serverId}`;
    const path = url.startsWith(own) ? `${pathname}${url.slice(own.length)}` : url;
    const sent = httpRequest(
      { hostname, port, method, path, headers: ['host', host, ...headers.flat()], agent: false },
      (answer) => {
        const named: [string, string][] = [];
        for (let i = 0; i < answer.rawHeaders.length; i += 2)
          named.push([answer.rawHeaders[i] as string, answer.rawHeaders[i + 1] as string]);
        say({ t: 'res', id, status: answer.statusCode ?? 0, headers: named });
        answer.on('data', (chunk: Buffer) => {
          for (let from = 0; from < chunk.length; from += 65_536) {
            const part = chunk.subarray(from, from + 65_536);
            const head = Buffer.from([2, 0, 0, 0, 0]);
            head.writeUInt32BE(id, 1);
            socket.send(Buffer.concat([head, part]));
          }
        });
        answer.on('end', () => say({ t: 'res_end', id }));
      },
    );
    sent.on('error', () => say({ t: 'abort', id, code: 'upstream_error' }));
    requests.set(id, sent);
    if (!hasBody) sent.end();
  };
  socket.on('error', () => {});
  socket.on('message', (data: Buffer, binary) => {
    if (binary) return void requests.get(data.readUInt32BE(1))?.write(data.subarray(5));
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.t === 'hello') events.push({ type: 'connected', protocol: socket.protocol });
    else if (frame.t === 'req') begin(frame);
    else if (frame.t === 'req_end') requests.get(frame.id)?.end();
    else if (frame.t === 'abort') requests.get(frame.id)?.destroy();
    heard();
  });
  let stopped = false;
  return {
    events,
    ended: new Promise((resolve) => socket.on('close', (code) => resolve(stopped ? 'stopped' : code))),
    greeted: async (times = 1) => {
      while (events.length < times) await new Promise<void>((resolve) => (heard = resolve));
    },
    stop: () => {
      stopped = true;
      socket.close();
    },
  };
}

export async function openTunnel(
  service: TestService,
  project: string,
  name: string,
  key = service.key,
): Promise<Grant> {
  const { status, body, text } = await service.post(`/projects/${project}/tunnels`, { name }, { key });
  if (status !== 201) throw new Error(text);
  return body as Grant;
}
