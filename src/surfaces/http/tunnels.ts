import { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { Refusal } from '../../contract/errors.ts';
import type { Tunnels } from '../../domain/parts/tunnels.ts';
import { connectPath, pathBehind, tunnelsPath } from '../../domain/tunnels/address.ts';
import { tunnelRefusal } from '../../domain/tunnels/refusal.ts';
import { sendThrough } from '../../tunnels/answer.ts';
import { maxText, protocols, type TunnelProtocol } from '../../tunnels/wire.ts';
import { answerRaw } from './connections.ts';
import { inSandbox } from './tunnel-headers.ts';

/** Upgrades only connections of tunnel clients. Other upgrade requests are handled as normal requests. */
export class Request extends IncomingMessage {
  private offered = false;

  /** Set by Node after the request head was read. */
  get upgrade(): boolean {
    return this.offered && (this.method === 'CONNECT' || isConnect(this));
  }

  set upgrade(offered: boolean) {
    this.offered = offered;
  }
}

function isConnect({ url = '', method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' && url.split('?', 1)[0] === connectPath && /^websocket$/i.test(headers.upgrade ?? '')
  );
}

/** Request headers not forwarded: Host, Expect, all cookies, and the X-Forwarded headers set below. */
const notForServers = ['host', 'cookie', 'expect', 'x-forwarded-host', 'x-forwarded-proto'];

/** Routes for tunnel URLs and for tunnel clients. */
export function registerTunnels(app: FastifyInstance, tunnels: () => Tunnels): void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxText,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const token = /^Bearer +(\S{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
    if (!protocols.some((protocol) => offered.includes(protocol)))
      return answerRaw(socket, `Offer the subprotocol ${protocols.join(' or ')}`);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      tunnels()
        .adopt(opened, token ?? '', opened.protocol as TunnelProtocol)
        .catch(() => opened.terminate());
    });
  });
  app.addHook('preClose', () => tunnels().drain());
  void app.register((place, _, done) => {
    // Bodies are streamed.
    place.removeAllContentTypeParsers();
    place.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    for (const url of [`${tunnelsPath}/:slug`, `${tunnelsPath}/:slug/*`])
      place.all(url, { config: { operation: 'tunnel', staysOpen: true } }, (request, reply) =>
        pass(tunnels(), request, reply),
      );
    done();
  });
}

async function pass(tunnels: Tunnels, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { slug } = request.params as { slug: string };
  const { k } = request.query as Record<string, unknown>;
  const route = typeof k === 'string' ? await tunnels.findRoute(slug, k) : undefined;
  // A wrong secret gets the same response as an unknown tunnel.
  if (!route) throw new Refusal('NOT_FOUND', 'No tunnel has this URL. The tunnel may have a new one');
  const url = new URL(request.raw.url ?? '/', 'http://tunnel');
  const failure = await sendThrough(request.raw, reply.raw, {
    path: '',
    without: notForServers,
    shown: inSandbox,
    send: (asked) =>
      tunnels.send(route, (protocol) => ({
        ...asked,
        path: pathBehind(url, { slug, serverId: route.serverId, protocol }),
        headers: [
          ...asked.headers,
          ['x-forwarded-host', request.host],
          ['x-forwarded-proto', request.protocol],
        ],
      })),
  });
  if (failure) throw tunnelRefusal(failure);
  // The server's response was sent directly.
  return reply.hijack();
}
