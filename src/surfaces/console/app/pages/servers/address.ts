import { oneOf, type Raw } from '../../addresses.ts';

const ways = ['url', 'command', 'paste'] as const;
export type WayToAdd = (typeof ways)[number];

export interface ServersSearch {
  /** Tab of the open dialog that adds a server. */
  add?: WayToAdd | undefined;
}

export function serversSearch(raw: Raw): ServersSearch {
  return { add: oneOf(ways, raw['add']) };
}

/** IDs of a server and its project. */
export interface ServerRef {
  projectId: string;
  serverId: string;
}
