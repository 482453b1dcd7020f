import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import * as connections from '../../platform/database/queries/server-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { hideQuery } from '../../platform/network/hide-query.ts';
import { conflict, found } from '../base/refusals.ts';
import { projectOf, viewerOf } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { checkAddress } from '../servers/rules.ts';
import { enqueueAdvance } from './advance.ts';
import { presentConnection } from './present.ts';
import { checkOpen } from './rules.ts';

export const createServerConnection: Verb<'createServerConnection'> = async (context, { body }) => {
  const { url, name, reauthorize } = body;
  await checkAddress(context, url);
  const projectId = await chooseProject(context, body.projectId);
  const { organization, user } = context.actor;
  const row = await context.db.transaction(async (db) => {
    if (!(await db.row(projects.hold, { id: projectId }))) throw denied();
    await checkOpen(context, db);
    const server = await existingServer(db, projectId, url, body.serverId);
    const created = await db.one(connections.insert, {
      id: newId('scr', context.clock()),
      organizationId: organization.id,
      userId: user.id,
      url,
      request: { ...(name !== undefined && { name }), ...(reauthorize && { reauthorize }) },
      projectId,
      serverId: server?.id ?? null,
    });
    await enqueueAdvance(db, created);
    await audit(db, context, 'server-connection.create', created.id);
    return created;
  });
  return presentConnection(context, row);
};

async function chooseProject(context: Context, projectId: string | undefined): Promise<string> {
  if (projectId !== undefined)
    return (
      await projectOf(context, projectId).catch((error: unknown) => {
        throw error instanceof Refusal ? denied() : error;
      })
    ).id;
  const project = await context.db.row(projects.findDefault, viewerOf(context));
  if (!project)
    throw new Refusal('VALIDATION_ERROR', 'projectId is required: you have no access to the default project');
  return project.id;
}

function denied(): Refusal {
  return new Refusal('FORBIDDEN', 'No such project, or this key has no access to it', {
    details: { code: 'PROJECT_ACCESS_DENIED' },
  });
}

/** The server named in the request, otherwise the one with this URL. */
async function existingServer(
  db: Db,
  projectId: string,
  url: string,
  serverId: string | undefined,
): Promise<servers.ServerRow | undefined> {
  if (serverId !== undefined) {
    const server = found(await db.row(servers.find, { projectId, id: serverId }), 'server');
    if (server.url !== url)
      throw new Refusal('VALIDATION_ERROR', 'url: The server named by serverId is saved with another URL');
    return server;
  }
  const there = await db.rows(servers.at, { projectId, url });
  if (there.length > 1)
    throw conflict('Several servers have this URL. Select one with serverId', 'AMBIGUOUS_SERVER', {
      candidates: there.map(({ id, name }) => ({ id, name, url: hideQuery(url) })),
    });
  return there[0];
}
