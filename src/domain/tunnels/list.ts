import * as tunnels from '../../platform/database/queries/tunnels.ts';
import { pageBy } from '../paging.ts';
import type { Verb } from '../verb.ts';

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
  const { serverId, name, slug, secretVersion, createdAt, updatedAt, held, closedAt } = row;
  const { protocol, connectedAt, disconnectedAt, connectTokenExpiresAt } = row;
  const status = closedAt !== null ? 'closed' : held ? 'connected' : 'waiting';
  return {
    serverId,
    name,
    slug,
    status,
    ...(held && protocol !== null && { protocol }),
    ...(connectedAt !== null && { connectedAt }),
    ...(disconnectedAt !== null && !held && { disconnectedAt }),
    ...(closedAt === null && { connectTokenExpiresAt }),
    secretVersion,
    createdAt,
    updatedAt,
  } as const;
}
