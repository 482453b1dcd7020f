import { foundation } from './0001-foundation.ts';
import { liveServers } from './0002-live-servers.ts';
import { clientsAndEnvironments } from './0003-clients-and-environments.ts';
import { leases } from './0004-leases.ts';

export interface Migration {
  name: string;
  sql: string;
}

/** In the order they run. A migration that has run is never edited: its checksum is recorded. */
export const migrations: readonly Migration[] = [foundation, liveServers, clientsAndEnvironments, leases];
