import * as tunnels from '../../platform/database/queries/tunnels.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';

export const closeTunnel: Verb<'closeTunnel'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    found(await db.row(tunnels.close, { projectId: context.project.id, serverId }), 'tunnel');
    await audit(db, context, 'tunnel.close', serverId);
    return { serverId, status: 'closed' };
  });
