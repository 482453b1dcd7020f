import { lookup } from 'node:dns/promises';

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a name to all its addresses. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** Resolves with the resolver of the operating system. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });
