import type { FastifyRequest } from 'fastify';

/** Where the service is reached. The Host header is the caller's word; it is used only if it can be nothing but a host. */
export function originOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`;
}
