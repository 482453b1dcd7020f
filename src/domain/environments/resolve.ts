import type { Db } from '../../platform/database/database.ts';
import { findClient } from '../../platform/database/queries/clients.ts';
import { type EnvironmentRow, findEnvironment } from '../../platform/database/queries/environments.ts';
import { pluginVersionsForPinning } from '../../platform/database/queries/plugins.ts';
import { findServerGroup } from '../../platform/database/queries/server-groups.ts';
import { enabledServers } from '../../platform/database/queries/servers.ts';
import { type Config, serversIn } from '../clients/config.ts';
import type { Verb } from '../verb.ts';
import { conflict, mustBeLive, noSuchEnvironment } from './write.ts';

export const resolveEnvironment: Verb<'resolveEnvironment'> = async ({ db, project }, { environmentId }) => {
  const environment = await findEnvironment(db, project.id, environmentId);
  if (!environment) throw noSuchEnvironment();
  mustBeLive(environment);
  const client = await findClient(db, project.id, environment.hostId);
  if (!client)
    throw conflict('The client of the environment is gone. Give it another one', {
      code: 'ENV_HOST_MISSING',
    });
  const plugins = await pinnedPlugins(db, environment);
  const selected = await selectedServers(db, environment, client.config);
  const wanted = [...new Set([...selected, ...plugins.flatMap(({ serverIds }) => serverIds)])];
  const servers = await enabledServers(db, project.id, wanted);
  if (servers.length === 0)
    throw conflict(
      'No server of the environment can be used: they are deleted, disabled, or there never was one',
      {
        code: 'ENV_NO_SERVERS',
      },
    );
  const ownModel = client.config['modelId'];
  const effectiveModelId = environment.modelId ?? (typeof ownModel === 'string' ? ownModel : undefined);
  if (effectiveModelId === undefined)
    throw conflict('Neither the environment nor its client names a model', {
      code: 'ENV_MODEL_REQUIRED',
      reason: 'environment_model_required',
    });
  return {
    environment: { id: environment.id, name: environment.name, revision: environment.revision },
    hostId: client.id,
    hostName: client.name,
    hostConfigId: client.configId,
    ...(environment.modelId !== null && { modelId: environment.modelId }),
    effectiveModelId,
    modelSource: environment.modelId === null ? 'host' : 'environment',
    ...(environment.serverAttachmentId !== null && { serverAttachmentId: environment.serverAttachmentId }),
    selectedServerIds: selected,
    effectiveServerIds: servers.map(({ id }) => id),
    pluginVersions: plugins.map(({ id, pluginId, pluginName, bundleHash }) => ({
      pluginId,
      pluginVersionId: id,
      name: pluginName,
      bundleHash,
    })),
    servers: servers.map(({ id, name }) => ({ serverId: id, name })),
  };
};

async function selectedServers(db: Db, environment: EnvironmentRow, config: Config): Promise<string[]> {
  const { projectId, serverAttachmentId } = environment;
  if (serverAttachmentId === null) {
    const { required, optional } = serversIn(config);
    return [...required, ...optional];
  }
  const group = await findServerGroup(db, projectId, serverAttachmentId);
  if (!group)
    throw conflict('The server group of the environment is gone', { code: 'ENV_ATTACHMENT_MISSING' });
  return group.serverIds;
}

async function pinnedPlugins(
  db: Db,
  { projectId, pluginVersionIds }: EnvironmentRow,
): ReturnType<typeof pluginVersionsForPinning> {
  if (!pluginVersionIds) return [];
  const found = await pluginVersionsForPinning(db, projectId, pluginVersionIds);
  for (const id of pluginVersionIds) {
    const version = found.find((one) => one.id === id);
    if (version?.status !== 'ready')
      throw conflict('A pinned plugin version is gone or not ready', {
        code: 'ENV_PLUGIN_UNAVAILABLE',
        pluginVersionId: id,
      });
    if (!version.enabled)
      throw conflict(`The plugin ${version.pluginName} is disabled`, {
        code: 'ENV_PLUGIN_DISABLED',
        pluginVersionId: id,
      });
  }
  return found;
}
