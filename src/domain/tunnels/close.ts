import * as tunnels from '../../platform/database/queries/tunnels.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';

export const closeTunnel: Verb<'closeTunnel'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    found(await db.row(tunnels.close, { projectId: context.project.id, serverId }), 'tunnel');
    await audit(db, context, 'tunnel.close', serverId);
    return { serverId, status: 'closed' };
  });
