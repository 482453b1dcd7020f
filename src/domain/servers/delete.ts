import { deleteGrant } from '../../platform/database/queries/grants.ts';
import { deleteServer, lockServer } from '../../platform/database/queries/servers.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verbs.ts';
import { noSuchServer, refuseManaged } from './rules.ts';

export const deleteProjectServer: Verb<'deleteProjectServer'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    const server = await lockServer(db, context.project.id, serverId);
    if (!server) throw noSuchServer();
    await refuseManaged(db, server);
    const tokens = await deleteGrant(db, serverId);
    await deleteServer(db, context.project.id, serverId);
    for (const sealed of [tokens, server.sealedId]) if (sealed) await context.vault.forget(db, sealed);
    await audit(db, context, 'server.delete', serverId);
    return { id: serverId, deleted: true };
  });
