import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import { insertConnection } from '../../platform/database/queries/server-connections.ts';
import { findServer, type ServerRow, serversAt } from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { projectOf, viewerOf } from '../access.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { checkAddress, noSuchServer } from '../servers/rules.ts';
import type { Verb } from '../verb.ts';
import { enqueueAdvance } from './advance.ts';
import { hideQuery, presentConnection } from './present.ts';
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
    const created = await insertConnection(db, {
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
  if (!project) throw new Refusal('VALIDATION_ERROR', 'projectId: Name the project to save the server in');
  return project.id;
}

function denied(): Refusal {
  return new Refusal('FORBIDDEN', 'There is no such project, or this key may not use it', {
    details: { code: 'PROJECT_ACCESS_DENIED' },
  });
}

/** The server that is meant: the one named, else the one with this URL. */
async function existingServer(
  db: Db,
  projectId: string,
  url: string,
  serverId: string | undefined,
): Promise<ServerRow | undefined> {
  if (serverId !== undefined) {
    const server = await findServer(db, projectId, serverId);
    if (!server) throw noSuchServer();
    if (server.url !== url)
      throw new Refusal('VALIDATION_ERROR', 'url: The server named by serverId is saved with another URL');
    return server;
  }
  const [server, ...others] = await serversAt(db, projectId, url);
  if (server && others.length > 0)
    throw new Refusal('CONFLICT', 'Several servers are saved with this URL. Say which one with serverId', {
      details: {
        code: 'AMBIGUOUS_SERVER',
        candidates: [server, ...others].map(({ id, name }) => ({ id, name, url: hideQuery(url) })),
      },
    });
  return server;
}
