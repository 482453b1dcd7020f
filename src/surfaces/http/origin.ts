import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../platform/config/load.ts';

/**
 * Where the service is reached. The Host header is the caller's word: it is used only if it can be nothing but a host, and
 * of pages only after `isOwnHost`.
 */
export function originOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`;
}

/**
 * Whether the Host header names this machine: by a name that always means the own one, or by the address that the request
 * came to. Any other name may be one that a page of others has pointed here.
 */
export function isOwnHost({ host, socket }: FastifyRequest): boolean {
  const name = /^(?:\[([\da-f:]+)\]|([\w.-]+))(?::\d+)?$/i.exec(host);
  const asked = (name?.[1] ?? name?.[2] ?? '').toLowerCase();
  return isLoopback(asked) || asked === socket.localAddress?.replace(/^::ffff:/, '');
}
