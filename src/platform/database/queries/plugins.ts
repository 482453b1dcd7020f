import { type Db, statement } from '../database.ts';

export interface PluginRow {
  id: string;
  projectId: string;
  name: string;
  displayName: string | null;
  description: string | null;
  enabled: boolean;
  activeVersionId: string | null;
  createdAt: number;
  updatedAt: number;
}

interface Component {
  componentId: string;
  componentKey: string;
  declaredName: string;
}

export interface ServerComponent extends Component {
  placement: 'remote' | 'local';
  authenticationPolicy: 'on_use';
  materializedServerId: string;
}

export interface SkillComponent extends Component {
  modelRef: string;
  materializedSkillId: string;
}

export interface PluginVersionRow {
  id: string;
  pluginId: string;
  projectId: string;
  declaredVersion: string | null;
  bundleHash: string;
  manifestHash: string | null;
  status: 'staging' | 'ready' | 'invalid';
  componentCounts: { skills: number; servers: number; apps: number; assets: number; unsupported: number };
  servers: ServerComponent[];
  skills: SkillComponent[];
  createdAt: number;
  readyAt: number | null;
}

const columns = `p.id, p.project_id as "projectId", p.name, p.display_name as "displayName", p.description, p.enabled,
  p.active_version_id as "activeVersionId", p.created_at as "createdAt", p.updated_at as "updatedAt"`;

// Served by plugins_project.
const list = statement<PluginRow>(
  'plugins.list',
  `select ${columns} from plugins p where p.project_id = $1 and p.id > $2 order by p.id limit $3`,
);
// The verb asks for the project of the version before it shows anything.
const version = statement<PluginVersionRow>(
  'plugins.version',
  `select id, plugin_id as "pluginId", project_id as "projectId", declared_version as "declaredVersion",
     bundle_hash as "bundleHash", manifest_hash as "manifestHash", status, component_counts as "componentCounts",
     servers, skills, created_at as "createdAt", ready_at as "readyAt"
   from plugin_versions where id = $1`,
);
const nameOf = statement<{ name: string }>(
  'plugins.name-of',
  'select p.name from plugin_versions v join plugins p on p.id = v.plugin_id where v.id = $1',
);

export function listPluginRows(db: Db, projectId: string, after: string, most: number): Promise<PluginRow[]> {
  return db.rows(list, [projectId, after, most]);
}

export function findPluginVersion(db: Db, id: string): Promise<PluginVersionRow | undefined> {
  return db.row(version, [id]);
}

/** The name of the plugin that a version is of. */
export async function pluginNameOf(db: Db, versionId: string): Promise<string> {
  return (await db.row(nameOf, [versionId]))?.name ?? versionId;
}

/** What decides whether a version can be pinned, and what it brings. */
export interface PluginPinRow {
  id: string;
  pluginId: string;
  pluginName: string;
  enabled: boolean;
  status: 'staging' | 'ready' | 'invalid';
  bundleHash: string;
  serverIds: string[];
  hasSkillWithFiles: boolean;
}

// Served by plugin_versions_project, servers_plugin_version and skills_plugin_version.
const pinning = statement<PluginPinRow>(
  'plugins.pinning',
  `select v.id, v.plugin_id as "pluginId", p.name as "pluginName", p.enabled, v.status, v.bundle_hash as "bundleHash",
     array(select s.id from servers s where s.plugin_version_id = v.id order by s.id) as "serverIds",
     exists (select from skills k join skill_files f on f.skill_id = k.id
       where k.plugin_version_id = v.id) as "hasSkillWithFiles"
   from plugin_versions v join plugins p on p.id = v.plugin_id
   where v.project_id = $1 and v.id = any($2) order by v.id`,
);

/** Those of the ids that exist in the project. */
export function pluginVersionsForPinning(db: Db, projectId: string, ids: string[]): Promise<PluginPinRow[]> {
  return db.rows(pinning, [projectId, ids]);
}

const everywhere = statement<PluginRow & { declaredVersion: string | null }>(
  'plugins.everywhere',
  `select ${columns}, v.declared_version as "declaredVersion"
   from plugins p left join plugin_versions v on v.id = p.active_version_id
     join projects o on o.id = p.project_id and o.deleted_at is null
   where $1::text is null or p.project_id = $1 order by p.project_id, p.id`,
);

/** For the operator: of one project, or of all. */
export function listEveryPlugin(
  db: Db,
  projectId: string | null,
): Promise<(PluginRow & { declaredVersion: string | null })[]> {
  return db.rows(everywhere, [projectId]);
}

const lock = statement<PluginRow>(
  'plugins.lock',
  `select ${columns} from plugins p where p.project_id = $1 and p.name = $2 for update`,
);
const upsert = statement<PluginRow>(
  'plugins.upsert',
  `insert into plugins as p (id, project_id, name, display_name, description, active_version_id)
   values ($1, $2, $3, $4, $5, $6)
   on conflict on constraint plugins_name do update set display_name = excluded.display_name,
     description = excluded.description, active_version_id = excluded.active_version_id, updated_at = now()
   returning ${columns}`,
);
const ofBundle = statement<{ id: string }>(
  'plugins.of-bundle',
  'select id from plugin_versions where plugin_id = $1 and bundle_hash = $2',
);
const insertVersion = statement(
  'plugins.insert-version',
  `insert into plugin_versions (id, plugin_id, project_id, declared_version, bundle_hash, manifest_hash, status,
     component_counts, servers, skills)
   values ($1, $2, $3, $4, $5, $6, 'staging', $7, '[]', '[]')`,
);
const completeVersion = statement(
  'plugins.complete-version',
  `update plugin_versions set servers = $2, skills = $3, status = 'ready', ready_at = now() where id = $1`,
);
const setEnabled = statement(
  'plugins.set-enabled',
  'update plugins set enabled = $2, updated_at = now() where id = $1',
);
const setServersEnabled = statement(
  'plugins.set-servers-enabled',
  `update servers s set enabled = $2, revision = revision + 1, updated_at = now() from plugin_versions v
   where v.plugin_id = $1 and s.plugin_version_id = v.id`,
);
const serversOf = statement<{ id: string; sealedId: string | null }>(
  'plugins.servers',
  `select s.id, s.sealed_id as "sealedId" from servers s join plugin_versions v on v.id = s.plugin_version_id
   where v.plugin_id = $1 order by s.id for update of s`,
);
const remove = statement('plugins.delete', 'delete from plugins where id = $1');

/** Held until the transaction ends. */
export function lockPlugin(db: Db, projectId: string, name: string): Promise<PluginRow | undefined> {
  return db.row(lock, [projectId, name]);
}

/** The plugin as its newest manifest describes it, with this version in force. */
export async function savePlugin(
  db: Db,
  plugin: Pick<PluginRow, 'id' | 'projectId' | 'name' | 'displayName' | 'description' | 'activeVersionId'>,
): Promise<PluginRow> {
  const { id, projectId, name, displayName, description, activeVersionId } = plugin;
  return (await db.row(upsert, [
    id,
    projectId,
    name,
    displayName,
    description,
    activeVersionId,
  ])) as PluginRow;
}

export async function versionOfBundle(
  db: Db,
  pluginId: string,
  bundleHash: string,
): Promise<string | undefined> {
  return (await db.row(ofBundle, [pluginId, bundleHash]))?.id;
}

type NewVersion = Omit<PluginVersionRow, 'status' | 'servers' | 'skills' | 'createdAt' | 'readyAt'>;

/** Its components refer to it, so it comes first and is completed when they are there. */
export async function insertPluginVersion(db: Db, added: NewVersion): Promise<void> {
  const { id, pluginId, projectId, declaredVersion, bundleHash, manifestHash, componentCounts } = added;
  await db.run(insertVersion, [
    id,
    pluginId,
    projectId,
    declaredVersion,
    bundleHash,
    manifestHash,
    JSON.stringify(componentCounts),
  ]);
}

export async function completePluginVersion(
  db: Db,
  id: string,
  components: Pick<PluginVersionRow, 'servers' | 'skills'>,
): Promise<void> {
  await db.run(completeVersion, [id, JSON.stringify(components.servers), JSON.stringify(components.skills)]);
}

/** Of the plugin and of every server it brought. */
export async function setPluginEnabled(db: Db, id: string, enabled: boolean): Promise<void> {
  await db.run(setEnabled, [id, enabled]);
  await db.run(setServersEnabled, [id, enabled]);
}

/** The servers of every version, held until the transaction ends. */
export function lockServersOfPlugin(db: Db, id: string): Promise<{ id: string; sealedId: string | null }[]> {
  return db.rows(serversOf, [id]);
}

/** With its versions and their skills. */
export async function deletePlugin(db: Db, id: string): Promise<void> {
  await db.run(remove, [id]);
}
