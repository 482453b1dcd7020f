import { lockServer } from '../../platform/database/queries/servers.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { removeServer } from './rows.ts';
import { noSuchServer, refuseManaged } from './rules.ts';

export const deleteProjectServer: Verb<'deleteProjectServer'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    const server = await lockServer(db, context.project.id, serverId);
    if (!server) throw noSuchServer();
    await refuseManaged(db, server);
    await removeServer(context, db, server);
    await audit(db, context, 'server.delete', serverId);
    return { id: serverId, deleted: true };
  });
