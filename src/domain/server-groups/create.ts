import { Refusal } from '../../contract/errors.ts';
import * as groups from '../../platform/database/queries/server-groups.ts';
import { newId } from '../../platform/ids.ts';
import { refuseTaken } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { namesOf, presentServerGroup } from './present.ts';

export const createServerGroup: Verb<'createServerGroup'> = async (context, { body }) => {
  const projectId = context.project.id;
  const { name, description = null, serverIds } = body;
  return writeInProject(context, async (db) => {
    const servers = await db.rows(groups.servers, { projectId, ids: serverIds });
    checkServers(serverIds, servers);
    await checkRoom(context, db, 'server groups', groups.count, { projectId });
    const id = newId('grp', context.clock());
    const group = await db.one(groups.insert, { id, projectId, name, description, serverIds });
    await audit(db, context, 'server-group.create', id);
    return presentServerGroup(group, namesOf(servers));
  }).catch(refuseTaken('server group', name, 'server_groups_name'));
};

function checkServers(ids: readonly string[], servers: readonly groups.GroupableServer[]): void {
  const found = new Map(servers.map((server) => [server.id, server]));
  ids.forEach((serverId, at) => {
    const server = found.get(serverId);
    if (server && !server.managed) return;
    const problem = server
      ? `${JSON.stringify(server.name)} is managed by a plugin; pin the plugin to the environment instead`
      : `${JSON.stringify(serverId)} is no server of this project`;
    throw new Refusal('VALIDATION_ERROR', `serverIds.${at}: ${problem}`, { details: { serverId } });
  });
}
