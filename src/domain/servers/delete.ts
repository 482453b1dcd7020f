import { deleteServer } from '../../platform/database/queries/servers.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verbs.ts';
import { noSuchServer } from './rules.ts';

export const deleteProjectServer: Verb<'deleteProjectServer'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    const gone = await deleteServer(db, context.project.id, serverId);
    if (!gone) throw noSuchServer();
    if (gone.sealedId !== null) await context.vault.forget(db, gone.sealedId);
    await audit(db, context, 'server.delete', serverId);
    return { id: serverId, deleted: true };
  });
