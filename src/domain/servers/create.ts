import { insertServer } from '../../platform/database/queries/servers.ts';
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
    const server = await insertServer(db, {
      id: newId('srv', context.clock()),
      projectId: context.project.id,
      name,
      enabled,
      transportType,
      url: url ?? null,
      settings: { ...given(rest), ...namesOfSecrets(secrets) },
      sealedId: await sealSecrets(context.vault, db, ownerIn(context), secrets),
    });
    await audit(db, context, 'server.create', server.id);
    return presentServer(server);
  }).catch(refuseTakenName(name));
};
