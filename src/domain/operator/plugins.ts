import type { Db } from '../../platform/database/database.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import type { ProjectPlace } from '../../platform/database/queries/projects.ts';
import * as skills from '../../platform/database/queries/skills.ts';
import type { Files } from '../../platform/folder.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { given, namesOfSecrets, sealSecrets } from '../base/server-secrets.ts';
import { auditOperator } from '../context/audit.ts';
import type { Services } from '../context/context.ts';
import { type Bundle, type DeclaredSkill, parseBundle } from '../plugins/parse.ts';
import type { DeclaredServer } from '../plugins/servers.ts';
import { removeServer, saveUnderFreeName } from '../servers/rows.ts';
import { projectNamed, writeAsOperator } from './find.ts';

type Parts = Pick<Services, 'db' | 'vault' | 'trust'>;

/** Installs the bundle as a plugin version and activates it. A bundle installed before keeps its version. */
export async function installPlugin(
  services: Parts,
  files: Files,
  place: { project?: string | undefined } = {},
): Promise<{ versionId: string; name: string; added: boolean }> {
  const bundle = await parseBundle(services, files, (secret) => services.vault.fingerprint(secret));
  const project = await projectNamed(services.db, place.project);
  return writeAsOperator(services.db, project, async (db) => {
    const { name, bundleHash } = bundle;
    const before = await db.row(plugins.lock, { projectId: project.id, name });
    const known = before && (await db.row(plugins.ofBundle, { pluginId: before.id, bundleHash }));
    const versionId = known?.id ?? newId('plgv');
    const answer = { versionId, name, added: known === undefined };
    if (before?.activeVersionId === versionId) return answer;
    const plugin = await db.one(plugins.save, {
      id: before?.id ?? newId('plg'),
      projectId: project.id,
      name,
      displayName: bundle.displayName ?? null,
      description: bundle.description ?? null,
      activeVersionId: versionId,
    });
    if (known === undefined) await addVersion({ services, db, project, plugin, versionId }, bundle);
    await auditOperator(db, 'plugin.install', versionId, project.organizationId);
    return answer;
  });
}

interface Installation {
  services: Parts;
  db: Db;
  project: ProjectPlace;
  plugin: plugins.PluginRow;
  versionId: string;
}

async function addVersion(installation: Installation, bundle: Bundle): Promise<void> {
  const { db, project, plugin, versionId } = installation;
  await db.run(plugins.insertVersion, {
    id: versionId,
    pluginId: plugin.id,
    projectId: project.id,
    declaredVersion: bundle.version ?? null,
    bundleHash: bundle.bundleHash,
    manifestHash: bundle.manifestHash,
    componentCounts: bundle.counts,
    servers: [],
    skills: [],
    status: 'staging',
  });
  const servers: plugins.ServerComponent[] = [];
  for (const server of bundle.servers) servers.push(await addServer(installation, server));
  const added: plugins.SkillComponent[] = [];
  for (const skill of bundle.skills) added.push(await addSkill(installation, skill));
  await db.run(plugins.completeVersion, { id: versionId, servers, skills: added });
}

async function addServer(
  { services, db, project, plugin, versionId }: Installation,
  declared: DeclaredServer,
): Promise<plugins.ServerComponent> {
  const { key, name, url, command, args, headers, env } = declared;
  const secrets = given({ headers, env });
  const owner = { organizationId: project.organizationId, projectId: project.id };
  const server = await saveUnderFreeName(db, {
    name,
    projectId: project.id,
    enabled: plugin.enabled,
    transportType: command === undefined ? 'http' : 'stdio',
    url: url ?? null,
    settings: { ...given({ command, args }), ...namesOfSecrets(secrets) },
    sealedId: await sealSecrets(services.vault, db, owner, secrets),
    pluginVersionId: versionId,
  });
  return {
    componentId: newId('plgc'),
    componentKey: key,
    declaredName: key,
    placement: command === undefined ? 'remote' : 'local',
    authenticationPolicy: 'on_use',
    materializedServerId: server.id,
  };
}

async function addSkill(
  { db, project, plugin, versionId }: Installation,
  { key, skill }: DeclaredSkill,
): Promise<plugins.SkillComponent> {
  const id = newId('skl');
  await skills.insert(db, { id, projectId: project.id, ownerId: null, pluginVersionId: versionId }, skill);
  return {
    componentId: newId('plgc'),
    componentKey: key,
    declaredName: skill.name,
    modelRef: `${plugin.name}:${skill.name}`,
    materializedSkillId: id,
  };
}

interface PluginPlace {
  name: string;
  /** ID or name; default: the Default project. */
  project?: string | undefined;
}

/** Also enables or disables the plugin's servers. */
export async function enablePlugin(db: Db, place: PluginPlace, enabled: boolean): Promise<void> {
  await writeToPlugin(db, place, enabled ? 'plugin.enable' : 'plugin.disable', async (trx, { id }) => {
    await trx.run(plugins.setEnabled, { id, enabled });
    await trx.run(plugins.setServersEnabled, { id, enabled });
  });
}

/** Removes all versions with their servers and skills. */
export async function removePlugin(
  { db, vault }: Pick<Services, 'db' | 'vault'>,
  place: PluginPlace,
): Promise<void> {
  await writeToPlugin(db, place, 'plugin.remove', async (trx, { id, projectId }) => {
    for (const server of await trx.rows(plugins.lockServers, { id }))
      await removeServer({ vault }, trx, { ...server, projectId });
    await trx.run(plugins.remove, { id });
  });
}

async function writeToPlugin(
  db: Db,
  place: PluginPlace,
  action: string,
  work: (db: Db, plugin: plugins.PluginRow) => Promise<void>,
): Promise<void> {
  const project = await projectNamed(db, place.project);
  await writeAsOperator(db, project, async (trx) => {
    const plugin = await trx.row(plugins.lock, { projectId: project.id, name: place.name });
    if (!plugin)
      throw new OperatorProblem(
        `No plugin ${place.name} in the project ${project.name}. See: drydock plugins list`,
      );
    await work(trx, plugin);
    await auditOperator(trx, action, plugin.id, project.organizationId);
  });
}

/** Lists the plugins of one project, or of all if none is given. */
export async function listPlugins(db: Db, project: string | undefined) {
  const projectId = project === undefined ? null : (await projectNamed(db, project)).id;
  return db.rows(plugins.everywhere, { projectId });
}
