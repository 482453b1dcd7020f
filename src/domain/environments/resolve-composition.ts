import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import * as serverGroups from '../../platform/database/queries/server-groups.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import * as skills from '../../platform/database/queries/skills.ts';
import { conflict, found } from '../base/refusals.ts';
import { type ClientConfig, orderedConfig, serversIn } from '../clients/config.ts';
import { pinnabilityOf } from '../skills/pinnability.ts';
import { mustBeLive } from './write.ts';

type EnvironmentRow = environments.EnvironmentRow;

/** Everything a run of an environment uses. */
export interface ResolvedComposition {
  environment: Pick<EnvironmentRow, 'id' | 'name' | 'revision' | 'modelId' | 'serverAttachmentId'>;
  client: { id: string; name: string; configId: string; config: ClientConfig };
  model: { id: string; source: 'environment' | 'host' };
  /** As listed by the client or the server group. */
  selectedServerIds: string[];
  /** The usable servers, of those selected and those of plugins. */
  servers: { id: string; name: string }[];
  skills: Pick<skills.SkillPinRow, 'id' | 'name' | 'aggregateHash'>[];
  pluginVersions: Pick<plugins.PluginPinRow, 'id' | 'pluginId' | 'pluginName' | 'bundleHash'>[];
  /** The granted secrets that are delivered to this run. */
  secretIds: string[];
}

/**
 * Resolves what a run by this user would use, in one snapshot. Refuses if a pinned part is unusable. Personal secrets
 * of other users are skipped rather than refused: they still work for their owners.
 */
export function resolveComposition(
  db: Db,
  wanted: { projectId: string; environmentId: string; startedBy: string },
): Promise<ResolvedComposition> {
  return db.snapshot(async (moment) => {
    const { projectId, environmentId: id, startedBy } = wanted;
    const environment = found(await moment.row(environments.find, { projectId, id }), 'environment');
    mustBeLive(environment);
    const client = await clientOf(moment, environment);
    const pluginVersions = await pinnedPlugins(moment, environment);
    const pinned = await pinnedSkills(moment, environment);
    const secretIds = await deliveredSecrets(moment, environment, startedBy);
    const selectedServerIds = await selectedServers(moment, environment, client.config);
    const usable = await usableServers(moment, environment, [
      ...selectedServerIds,
      ...pluginVersions.flatMap(({ serverIds }) => serverIds),
    ]);
    const model = modelOf(environment, client.config);
    return {
      environment,
      client,
      model,
      selectedServerIds,
      servers: usable,
      skills: pinned,
      pluginVersions,
      secretIds,
    };
  });
}

async function clientOf(
  db: Db,
  { projectId, hostId }: EnvironmentRow,
): Promise<ResolvedComposition['client']> {
  const client = await db.row(clients.find, { projectId, id: hostId });
  if (!client)
    throw conflict('The client of the environment was deleted. Set another hostId', 'ENV_HOST_MISSING');
  const { id, name, configId, config } = client;
  return { id, name, configId, config: orderedConfig(config) };
}

async function pinnedPlugins(
  db: Db,
  { projectId, pluginVersionIds }: EnvironmentRow,
): Promise<plugins.PluginPinRow[]> {
  if (!pluginVersionIds) return [];
  const rows = await db.rows(plugins.pinning, { projectId, ids: pluginVersionIds });
  for (const id of pluginVersionIds) {
    const version = rows.find((one) => one.id === id);
    if (version?.status !== 'ready')
      throw conflict(
        `The pinned plugin version ${id} was deleted or is not ready. Edit pluginVersionIds`,
        'ENV_PLUGIN_UNAVAILABLE',
        { pluginVersionId: id },
      );
    if (!version.enabled)
      throw conflict(`The plugin ${version.pluginName} is disabled`, 'ENV_PLUGIN_DISABLED', {
        pluginVersionId: id,
      });
  }
  return rows;
}

async function pinnedSkills(db: Db, { projectId, skillIds }: EnvironmentRow): Promise<skills.SkillPinRow[]> {
  if (!skillIds) return [];
  const rows = await db.rows(skills.pinning, { projectId, ids: skillIds });
  for (const id of skillIds) {
    const skill = rows.find((one) => one.id === id);
    const { ok, reason } = skill ? pinnabilityOf(skill) : { ok: false, reason: 'gone' };
    if (ok) continue;
    const problem = reason === 'gone' ? 'was deleted' : `can no longer be pinned (${reason})`;
    throw conflict(`The pinned skill ${id} ${problem}. Edit skillSelection`, 'ENV_SKILL_UNAVAILABLE', {
      skillId: id,
      reason,
    });
  }
  return rows;
}

async function deliveredSecrets(
  db: Db,
  { projectId, secretIds }: EnvironmentRow,
  userId: string,
): Promise<string[]> {
  if (!secretIds) return [];
  const rows = await db.rows(secrets.granted, { projectId, userId, ids: secretIds });
  const gone = secretIds.find((id) => !rows.some((secret) => secret.id === id));
  if (gone !== undefined)
    throw conflict(
      `The secret ${gone} that the environment grants was deleted. Edit the environment's secretSelection`,
      'ENV_SECRET_UNAVAILABLE',
      { secretId: gone },
    );
  return rows.filter(({ delivered }) => delivered).map(({ id }) => id);
}

async function selectedServers(db: Db, environment: EnvironmentRow, config: ClientConfig): Promise<string[]> {
  const { projectId, serverAttachmentId } = environment;
  if (serverAttachmentId === null) {
    const { required, optional } = serversIn(config);
    return [...required, ...optional];
  }
  const group = await db.row(serverGroups.find, { projectId, id: serverAttachmentId });
  if (!group)
    throw conflict(
      'The server group of the environment was deleted. Choose another server group',
      'ENV_ATTACHMENT_MISSING',
    );
  return group.serverIds;
}

async function usableServers(
  db: Db,
  { projectId }: EnvironmentRow,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  const usable = await db.rows(servers.enabled, { projectId, ids: [...new Set(ids)] });
  if (usable.length === 0)
    throw conflict(
      'The environment has no usable server: its servers were deleted or disabled, or it never had any',
      'ENV_NO_SERVERS',
    );
  return usable;
}

function modelOf(environment: EnvironmentRow, config: ClientConfig): ResolvedComposition['model'] {
  if (environment.modelId !== null) return { id: environment.modelId, source: 'environment' };
  const own = config['modelId'];
  if (typeof own === 'string') return { id: own, source: 'host' };
  throw conflict('Neither the environment nor its client names a model', 'ENV_MODEL_REQUIRED', {
    reason: 'environment_model_required',
  });
}
