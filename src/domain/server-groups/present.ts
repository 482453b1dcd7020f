import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { GroupableServer, ServerGroupRow } from '../../platform/database/queries/server-groups.ts';

/** With the current names of its servers. */
export function presentServerGroup(
  { id, name, description, serverIds, createdAt }: ServerGroupRow,
  names: ReadonlyMap<string, string>,
): OutputOf<Operations['createServerGroup']> {
  return {
    id,
    name,
    description,
    serverIds,
    serverNames: serverIds.map((serverId) => names.get(serverId) ?? '(deleted server)'),
    createdAt,
    updatedAt: createdAt,
  };
}

export function namesOf(servers: readonly GroupableServer[]): Map<string, string> {
  return new Map(servers.map(({ id, name }) => [id, name]));
}
