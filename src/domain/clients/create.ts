import { nameKey } from '../../platform/database/name-key.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { type ClientConfig, canonicalConfig, configIdOf } from './config.ts';
import { clientCalled } from './find.ts';
import { configFromTemplate } from './from-template.ts';
import { presentClientById } from './present.ts';
import { checkConfig, checkServers } from './rules.ts';

export const createClient: Verb<'createClient'> = (context, { body }) => {
  const config =
    body.template === undefined
      ? canonicalConfig(body.config as ClientConfig)
      : configFromTemplate(body.template, body.theme);
  return saveClient(context, body.name, { configId: configIdOf(config), config });
};

function saveClient(
  context: ProjectContext,
  name: string,
  { configId, config }: Pick<clients.ClientRow, 'configId' | 'config'>,
  source?: ClientConfig,
): ReturnType<typeof presentClientById> {
  const projectId = context.project.id;
  return writeInProject(context, async (db) => {
    await checkRoom(context, db, 'clients', clients.count, { projectId });
    checkConfig(config);
    await checkServers(db, projectId, config, source);
    const id = newId('cli', context.clock());
    await db.run(clients.keepConfig, { projectId, id: configId, config });
    await db.run(clients.insert, { id, projectId, name, nameKey: nameKey(name), configId });
    await audit(db, context, 'client.create', id);
    return presentClientById(db, projectId, id);
  });
}

export const duplicateClient: Verb<'duplicateClient'> = async (context, { client, body }) => {
  const source = await clientCalled(context.db, context.project.id, client, true);
  return saveClient(context, body.name ?? copyOf(source.name), source, source.config);
};

function copyOf(name: string): string {
  const suffix = ' (copy)';
  // Does not split a surrogate pair.
  return `${name.slice(0, 200 - suffix.length).replace(/[\uD800-\uDBFF]$/, '')}${suffix}`;
}
