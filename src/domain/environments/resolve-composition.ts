import type { Db } from '../../platform/database/database.ts';
import { findClient } from '../../platform/database/queries/clients.ts';
import { type EnvironmentRow, findEnvironment } from '../../platform/database/queries/environments.ts';
import { type PluginPinRow, pluginVersionsForPinning } from '../../platform/database/queries/plugins.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import * as serverGroups from '../../platform/database/queries/server-groups.ts';
import { enabledServers } from '../../platform/database/queries/servers.ts';
import { type SkillPinRow, skillsForPinning } from '../../platform/database/queries/skills.ts';
import { type Config, orderedConfig, serversIn } from '../clients/config.ts';
import { pinnabilityOf } from '../skills/pinnability.ts';
import { conflict, mustBeLive, noSuchEnvironment } from './write.ts';

/** All that a run of an environment uses. */
export interface ResolvedComposition {
  environment: Pick<EnvironmentRow, 'id' | 'name' | 'revision' | 'modelId' | 'serverAttachmentId'>;
  client: { id: string; name: string; configId: string; config: Config };
  model: { id: string; source: 'environment' | 'host' };
  /** As the client or the server group names them. */
  selectedServerIds: string[];
  /** Those of them, and of the plugins, that can be used. */
  servers: { id: string; name: string }[];
  skills: Pick<SkillPinRow, 'id' | 'name' | 'aggregateHash'>[];
  pluginVersions: Pick<PluginPinRow, 'id' | 'pluginId' | 'pluginName' | 'bundleHash'>[];
  /** Those of the granted ones that reach this run. */
  secretIds: string[];
}

/**
 * What a run that this user starts would use, read at one moment; refused when something that the environment pins no
 * longer serves. A personal secret of somebody else still serves its owner, so it is not delivered and no reason to refuse.
 */
export function resolveComposition(
  db: Db,
  wanted: { projectId: string; environmentId: string; startedBy: string },
): Promise<ResolvedComposition> {
  return db.snapshot(async (moment) => {
    const environment = await findEnvironment(moment, wanted.projectId, wanted.environmentId);
    if (!environment) throw noSuchEnvironment();
    mustBeLive(environment);
    const client = await clientOf(moment, environment);
    const pluginVersions = await pinnedPlugins(moment, environment);
    const skills = await pinnedSkills(moment, environment);
    const secretIds = await deliveredSecrets(moment, environment, wanted.startedBy);
    const selectedServerIds = await selectedServers(moment, environment, client.config);
    const servers = await usableServers(moment, environment, [
      ...selectedServerIds,
      ...pluginVersions.flatMap(({ serverIds }) => serverIds),
    ]);
    const model = modelOf(environment, client.config);
    return { environment, client, model, selectedServerIds, servers, skills, pluginVersions, secretIds };
  });
}

async function clientOf(
  db: Db,
  { projectId, hostId }: EnvironmentRow,
): Promise<ResolvedComposition['client']> {
  const client = await findClient(db, projectId, hostId);
  if (!client)
    throw conflict('The client of the environment is gone. Give it another one', {
      code: 'ENV_HOST_MISSING',
    });
  return {
    id: client.id,
    name: client.name,
    configId: client.configId,
    config: orderedConfig(client.config),
  };
}

async function pinnedPlugins(
  db: Db,
  { projectId, pluginVersionIds }: EnvironmentRow,
): Promise<PluginPinRow[]> {
  if (!pluginVersionIds) return [];
  const found = await pluginVersionsForPinning(db, projectId, pluginVersionIds);
  for (const id of pluginVersionIds) {
    const version = found.find((one) => one.id === id);
    if (version?.status !== 'ready')
      throw conflict(`The pinned plugin version ${id} is gone or not ready. Edit pluginVersionIds`, {
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

async function pinnedSkills(db: Db, { projectId, skillIds }: EnvironmentRow): Promise<SkillPinRow[]> {
  if (!skillIds) return [];
  const found = await skillsForPinning(db, projectId, skillIds);
  for (const id of skillIds) {
    const skill = found.find((one) => one.id === id);
    const { ok, reason } = skill ? pinnabilityOf(skill) : { ok: false, reason: 'gone' };
    if (ok) continue;
    const problem = reason === 'gone' ? 'is gone' : `can no longer be pinned (${reason})`;
    throw conflict(`The pinned skill ${id} ${problem}. Edit skillSelection`, {
      code: 'ENV_SKILL_UNAVAILABLE',
      skillId: id,
      reason,
    });
  }
  return found;
}

async function deliveredSecrets(
  db: Db,
  { projectId, secretIds }: EnvironmentRow,
  userId: string,
): Promise<string[]> {
  if (!secretIds) return [];
  const found = await db.rows(secrets.granted, { projectId, userId, ids: secretIds });
  const gone = secretIds.find((id) => !found.some((secret) => secret.id === id));
  if (gone !== undefined)
    throw conflict(`The secret ${gone} that the environment grants was deleted. Edit secretSelection`, {
      code: 'ENV_SECRET_UNAVAILABLE',
      secretId: gone,
    });
  return found.filter(({ delivered }) => delivered).map(({ id }) => id);
}

async function selectedServers(db: Db, environment: EnvironmentRow, config: Config): Promise<string[]> {
  const { projectId, serverAttachmentId } = environment;
  if (serverAttachmentId === null) {
    const { required, optional } = serversIn(config);
    return [...required, ...optional];
  }
  const group = await db.row(serverGroups.find, { projectId, id: serverAttachmentId });
  if (!group)
    throw conflict('The server group of the environment is gone', { code: 'ENV_ATTACHMENT_MISSING' });
  return group.serverIds;
}

async function usableServers(
  db: Db,
  { projectId }: EnvironmentRow,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  const servers = await enabledServers(db, projectId, [...new Set(ids)]);
  if (servers.length === 0)
    throw conflict(
      'No server of the environment can be used: they are deleted, disabled, or there never was one',
      { code: 'ENV_NO_SERVERS' },
    );
  return servers;
}

function modelOf(environment: EnvironmentRow, config: Config): ResolvedComposition['model'] {
  if (environment.modelId !== null) return { id: environment.modelId, source: 'environment' };
  const own = config['modelId'];
  if (typeof own === 'string') return { id: own, source: 'host' };
  throw conflict('Neither the environment nor its client names a model', {
    code: 'ENV_MODEL_REQUIRED',
    reason: 'environment_model_required',
  });
}
