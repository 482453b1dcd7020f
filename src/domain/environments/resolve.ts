import type { Verb } from '../context/verb.ts';
import { resolveComposition } from './resolve-composition.ts';

type Resolved = Awaited<ReturnType<Verb<'resolveEnvironment'>>>;

export const resolveEnvironment: Verb<'resolveEnvironment'> = async (context, { environmentId }) => {
  const { db, project, actor } = context;
  const resolved = await resolveComposition(db, {
    projectId: project.id,
    environmentId,
    startedBy: actor.user.id,
  });
  const { environment, client, model, selectedServerIds, servers, pluginVersions } = resolved;
  const { id, name, revision, modelId, serverAttachmentId } = environment;
  return {
    environment: { id, name, revision },
    hostId: client.id,
    hostName: client.name,
    hostConfigId: client.configId,
    config: client.config as Resolved['config'],
    ...(modelId !== null && { modelId }),
    effectiveModelId: model.id,
    modelSource: model.source,
    ...(serverAttachmentId !== null && { serverAttachmentId }),
    selectedServerIds,
    effectiveServerIds: servers.map((server) => server.id),
    pluginVersions: pluginVersions.map((version) => ({
      pluginId: version.pluginId,
      pluginVersionId: version.id,
      name: version.pluginName,
      bundleHash: version.bundleHash,
    })),
    servers: servers.map((server) => ({ serverId: server.id, name: server.name })),
  };
};
