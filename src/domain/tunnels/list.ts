import * as tunnels from '../../platform/database/queries/tunnels.ts';
import { pageBy } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

export const listTunnels: Verb<'listTunnels'> = (context, page) => {
  const { db, project } = context;
  return pageBy(context, page, {
    scope: ['tunnels', project.id],
    placeOf: ({ serverId }: tunnels.ListedTunnel) => [serverId] as const,
    fetch: (after, most) => db.rows(tunnels.list, { projectId: project.id, after: after?.[0] ?? '', most }),
    present: presentTunnel,
  });
};

function presentTunnel(row: tunnels.ListedTunnel) {
  const { serverId, name, slug, secretVersion, createdAt, updatedAt, attended } = row;
  const { protocol, connectedAt, disconnectedAt, connectTokenExpiresAt } = row;
  const closed = row.closedAt !== null || !attended;
  const held = row.held && !closed;
  const status = closed ? 'closed' : held ? 'connected' : 'waiting';
  return {
    serverId,
    name,
    slug,
    status,
    ...(held && protocol !== null && { protocol }),
    ...(connectedAt !== null && { connectedAt }),
    ...(disconnectedAt !== null && !held && { disconnectedAt }),
    ...(!closed && { connectTokenExpiresAt }),
    secretVersion,
    createdAt,
    updatedAt,
  } as const;
}
