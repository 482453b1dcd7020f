import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../platform/config/load.ts';

/**
 * The origin of URLs in the answer to a request. Without a public URL, the Host header counts only if it names this
 * machine; otherwise the address that the request came to. Links that are stored, mailed or passed on use
 * `configuredOrigin` instead.
 */
export function originOf(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  if (isOwnHost(request)) return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host}`;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  const address = localAddress.replace(/^::ffff:/, '');
  const host = address.includes(':') ? `[${address}]` : address;
  return `${'encrypted' in request.socket ? 'https' : 'http'}://${host}:${localPort}`;
}

/**
 * Whether the Host header names this machine: by a loopback name, or by the address that the request came to. Any other
 * name may be one that a foreign page has resolved to this machine (DNS rebinding).
 */
export function isOwnHost({ host, socket }: FastifyRequest): boolean {
  const name = /^(?:\[([\da-f:]+)\]|([\w.-]+))(?::\d+)?$/i.exec(host);
  const asked = (name?.[1] ?? name?.[2] ?? '').toLowerCase();
  return isLoopback(asked) || asked === socket.localAddress?.replace(/^::ffff:/, '');
}
