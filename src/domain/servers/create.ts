import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { given, namesOfSecrets, sealSecrets } from '../base/server-secrets.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { presentServer } from './present.ts';
import { checkAddress, checkTransport, refuseTakenName, requireCommandAdmin } from './rules.ts';

type Body = Parameters<Verb<'createProjectServer'>>[1]['body'];

export const createProjectServer: Verb<'createProjectServer'> = async (context, { body }) => {
  await checkServer(context, body);
  return writeInProject(context, async (db) => presentServer(await addServer(context, db, body))).catch(
    refuseTakenName(body.name),
  );
};

/** Refuses a server that may not be saved here, or not by this user. */
export async function checkServer(context: ProjectContext, body: Body): Promise<void> {
  const transport = transportOf(body);
  await checkTransport(context, transport);
  if (transport === 'stdio') requireCommandAdmin(context);
  await checkAddress(context, body.url ?? null);
}

/** Adds a validated server in the caller's transaction. */
export async function addServer(context: ProjectContext, db: Db, body: Body): Promise<servers.ServerRow> {
  const { name, enabled = true, url, headers, env, clientSecret, transportType: _, ...rest } = body;
  const secrets = given({ headers, env, clientSecret });
  const server = await db.one(servers.insert, {
    id: newId('srv', context.clock()),
    projectId: context.project.id,
    name,
    nameKey: nameKey(name),
    enabled,
    transportType: transportOf(body),
    url: url ?? null,
    settings: { ...given(rest), ...namesOfSecrets(secrets) },
    sealedId: await sealSecrets(context.vault, db, ownerIn(context), secrets),
    pluginVersionId: null,
  });
  await audit(db, context, 'server.create', server.id);
  return server;
}

function transportOf({ transportType, command }: Body): 'http' | 'stdio' {
  return transportType ?? (command === undefined ? 'http' : 'stdio');
}
