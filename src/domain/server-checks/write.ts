import * as checks from '../../platform/database/queries/server-checks.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { noScheduledChecks, presentChecks } from './read.ts';

/** Enabled checks per project. */
const maxEnabled = 100;

export const setServerChecks: Verb<'setServerChecks'> = (context, { serverId, body }) =>
  writeInProject(context, async (db) => {
    const which = { projectId: context.project.id, serverId };
    if (body.enabled)
      await checkRoom(context, db, 'servers with scheduled checks', checks.count, which, maxEnabled);
    const { organization, user } = context.actor;
    await db.run(checks.put, { ...which, ...body, organizationId: organization.id, setBy: user.id });
    await audit(db, context, 'server-checks.set', serverId);
    return presentChecks(await db.one(checks.find, which));
  });

export const deleteServerChecks: Verb<'deleteServerChecks'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    const which = { projectId: context.project.id, serverId };
    if (!(await db.row(checks.remove, which))) throw noScheduledChecks();
    await audit(db, context, 'server-checks.delete', serverId);
    return { serverId, deleted: true as const };
  });
