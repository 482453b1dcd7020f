import { bigint, flag, json, oneOf, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

const plugins = table('plugins', {
  id: text,
  projectId: text,
  name: text,
  displayName: orNull(text),
  description: orNull(text),
  enabled: flag,
  activeVersionId: orNull(text),
  createdAt: time,
  updatedAt: time,
});
export type PluginRow = RowOf<typeof plugins.columns>;

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

type Counts = { skills: number; servers: number; apps: number; assets: number; unsupported: number };

const versions = table('plugin_versions', {
  id: text,
  pluginId: text,
  projectId: text,
  declaredVersion: orNull(text),
  bundleHash: text,
  manifestHash: orNull(text),
  status: oneOf<'staging' | 'ready' | 'invalid'>(),
  componentCounts: json<Counts>(),
  servers: json<ServerComponent[]>(),
  skills: json<SkillComponent[]>(),
  createdAt: time,
  readyAt: orNull(time),
});
export type PluginVersionRow = RowOf<typeof versions.columns>;

export const list = query(
  'plugins.list',
  `select ${plugins.all()} from plugins where project_id = :projectId and id > :after order by id limit :most`,
  { projectId: text, after: text, most: bigint },
  plugins.columns,
  { index: 'plugins_project' },
);
/** Lists plugins for the operator: of one project, or of all. */
export const everywhere = query(
  'plugins.everywhere',
  `select ${plugins.all('p')}, v.declared_version as "declaredVersion"
   from plugins p left join plugin_versions v on v.id = p.active_version_id
     join projects o on o.id = p.project_id and o.deleted_at is null
   where :projectId::text is null or p.project_id = :projectId order by p.project_id, p.id`,
  { projectId: orNull(text) },
  { ...plugins.columns, declaredVersion: orNull(text) },
);
export const lock = query(
  'plugins.lock',
  `select ${plugins.all()} from plugins where project_id = :projectId and name = :name for update`,
  { projectId: text, name: text },
  plugins.columns,
);
const described = ['id', 'projectId', 'name', 'displayName', 'description', 'activeVersionId'] as const;
/** Stores the plugin as its newest manifest describes it, with this version as the active one. */
export const save = query(
  'plugins.upsert',
  `${plugins.insert(described)}
   on conflict on constraint plugins_name do update set display_name = excluded.display_name,
     description = excluded.description, active_version_id = excluded.active_version_id, updated_at = now()
   returning ${plugins.all()}`,
  plugins.pick(described),
  plugins.columns,
);
export const setEnabled = query(
  'plugins.set-enabled',
  'update plugins set enabled = :enabled, updated_at = now() where id = :id',
  plugins.pick(['id', 'enabled']),
);
/** Deletes a plugin with its versions and their skills, by cascade. */
export const remove = query('plugins.delete', 'delete from plugins where id = :id', { id: text });

/** Enables or disables the servers of all versions of a plugin. */
export const setServersEnabled = query(
  'plugins.set-servers-enabled',
  `update servers s set enabled = :enabled, revision = revision + 1, updated_at = now() from plugin_versions v
   where v.plugin_id = :id and s.plugin_version_id = v.id`,
  plugins.pick(['id', 'enabled']),
);
/** Locks the servers of a plugin until the transaction ends. */
export const lockServers = query(
  'plugins.servers',
  `select s.id, s.sealed_id as "sealedId" from servers s join plugin_versions v on v.id = s.plugin_version_id
   where v.plugin_id = :id order by s.id for update of s`,
  { id: text },
  { id: text, sealedId: orNull(text) },
);

/** Finds a version in any project. The caller checks access to the project before it returns anything. */
export const findVersion = query(
  'plugins.version',
  `select ${versions.all()} from plugin_versions where id = :id`,
  { id: text },
  versions.columns,
);
export const ofBundle = query(
  'plugins.of-bundle',
  'select id from plugin_versions where plugin_id = :pluginId and bundle_hash = :bundleHash',
  versions.pick(['pluginId', 'bundleHash']),
  { id: text },
);
/** The name of the plugin that a version belongs to. */
export const nameOf = query(
  'plugins.name-of',
  'select p.name from plugin_versions v join plugins p on p.id = v.plugin_id where v.id = :versionId',
  { versionId: text },
  { name: text },
);
/**
 * Whether plugin versions can be pinned, and their components. Returns the IDs that exist in the project. Served by
 * plugin_versions_project, servers_plugin_version and skills_plugin_version.
 */
export const pinning = query(
  'plugins.pinning',
  `select v.id, v.plugin_id as "pluginId", p.name as "pluginName", p.enabled, v.status, v.bundle_hash as "bundleHash",
     array(select s.id from servers s where s.plugin_version_id = v.id order by s.id) as "serverIds",
     exists (select from skills k join skill_files f on f.skill_id = k.id
       where k.plugin_version_id = v.id) as "hasSkillWithFiles"
   from plugin_versions v join plugins p on p.id = v.plugin_id
   where v.project_id = :projectId and v.id = any(:ids) order by v.id`,
  { projectId: text, ids: texts },
  {
    ...versions.pick(['id', 'pluginId', 'status', 'bundleHash']),
    pluginName: text,
    enabled: flag,
    serverIds: texts,
    hasSkillWithFiles: flag,
  },
);
export type PluginPinRow = RowOf<typeof pinning.gives>;

const declared = [
  'id',
  'pluginId',
  'projectId',
  'declaredVersion',
  'bundleHash',
  'manifestHash',
  'componentCounts',
] as const;
const brought = ['servers', 'skills', 'status'] as const;
/** Inserts a version before its components, which reference it. The version is completed afterwards. */
export const insertVersion = query(
  'plugins.insert-version',
  versions.insert([...declared, ...brought]),
  versions.pick([...declared, ...brought]),
);
export const completeVersion = query(
  'plugins.complete-version',
  `update plugin_versions set ${versions.set(['servers', 'skills'])}, status = 'ready', ready_at = now()
   where id = :id`,
  versions.pick(['id', 'servers', 'skills']),
);
