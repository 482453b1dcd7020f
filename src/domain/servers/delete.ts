import * as servers from '../../platform/database/queries/servers.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
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
