import { nameKey } from '../../platform/database/name-key.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { ownerIn, writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { presentServer } from './present.ts';
import { checkAddress, checkTransport, refuseTakenName, requireCommandAdmin } from './rules.ts';
import { given, namesOfSecrets, sealSecrets } from './secrets.ts';

export const createProjectServer: Verb<'createProjectServer'> = async (context, { body }) => {
  const { name, enabled = true, url, headers, env, clientSecret, ...settings } = body;
  const { transportType = settings.command === undefined ? 'http' : 'stdio', ...rest } = settings;
  await checkTransport(context, transportType);
  if (transportType === 'stdio') requireCommandAdmin(context);
  await checkAddress(context, url ?? null);
  const secrets = given({ headers, env, clientSecret });
  return writeInProject(context, async (db) => {
    const server = await db.one(servers.insert, {
      id: newId('srv', context.clock()),
      projectId: context.project.id,
      name,
      nameKey: nameKey(name),
      enabled,
      transportType,
      url: url ?? null,
      settings: { ...given(rest), ...namesOfSecrets(secrets) },
      sealedId: await sealSecrets(context.vault, db, ownerIn(context), secrets),
      pluginVersionId: null,
    });
    await audit(db, context, 'server.create', server.id);
    return presentServer(server);
  }).catch(refuseTakenName(name));
};
