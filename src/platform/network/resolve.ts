import { lookup } from 'node:dns/promises';

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** As the system of this machine does it. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });
