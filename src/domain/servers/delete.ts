import * as servers from '../../platform/database/queries/servers.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { removeServer } from './rows.ts';
import { refuseManaged } from './rules.ts';

export const deleteProjectServer: Verb<'deleteProjectServer'> = (context, { serverId: id }) =>
  writeInProject(context, async (db) => {
    const server = found(await db.row(servers.lock, { projectId: context.project.id, id }), 'server');
    await refuseManaged(db, server);
    await removeServer(context, db, server);
    await audit(db, context, 'server.delete', id);
    return { id, deleted: true };
  });
