import { flag, integer, text } from '../columns.ts';
import { type Db, statement } from '../database.ts';
import { nameKey } from '../name-key.ts';
import { query } from '../query.ts';

/** What an environment is made of. */
export interface Composition {
  hostId: string;
  serverAttachmentId: string | null;
  modelId: string | null;
  skillIds: string[] | null;
  secretIds: string[] | null;
  pluginVersionIds: string[] | null;
  sandboxImageId: string | null;
}

export interface EnvironmentRow extends Composition {
  id: string;
  projectId: string;
  /** Null for one made on the fly. */
  name: string | null;
  description: string | null;
  revision: number;
  archivedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

const columns = `id, project_id as "projectId", name, description, host_id as "hostId",
  server_attachment_id as "serverAttachmentId", model_id as "modelId", skill_ids as "skillIds",
  secret_ids as "secretIds", plugin_version_ids as "pluginVersionIds", sandbox_image_id as "sandboxImageId",
  revision, archived_at as "archivedAt", created_at as "createdAt", updated_at as "updatedAt"`;

const page = 'and id > $2 order by id limit $3';
// Served by environments_live. The archived ones only grow in number, and are not walked past.
const listLive = statement<EnvironmentRow>(
  'environments.list-live',
  `select ${columns} from environments where project_id = $1 and name is not null and archived_at is null ${page}`,
);
// Served by environments_named.
const listNamed = statement<EnvironmentRow>(
  'environments.list-named',
  `select ${columns} from environments where project_id = $1 and name is not null ${page}`,
);
const find = statement<EnvironmentRow>(
  'environments.find',
  `select ${columns} from environments where project_id = $1 and id = $2`,
);
const lock = statement<EnvironmentRow>(
  'environments.lock',
  `select ${columns} from environments where project_id = $1 and id = $2 for update`,
);
/** The live ones: those with a name, or those made on the fly. */
export const countEnvironments = query(
  'environments.count',
  `select count(*)::int as count from environments
   where project_id = :projectId and archived_at is null and (name is null) = :adhoc`,
  { projectId: text, adhoc: flag },
  { count: integer },
);
const insert = statement<EnvironmentRow>(
  'environments.insert',
  `insert into environments (id, project_id, name, description, host_id, server_attachment_id, model_id, skill_ids,
     secret_ids, plugin_version_ids, sandbox_image_id, composition, name_key)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict (project_id, composition) where name is null and archived_at is null do nothing
   returning ${columns}`,
);
const adhoc = statement<EnvironmentRow>(
  'environments.adhoc',
  `select ${columns} from environments
   where project_id = $1 and composition = $2 and name is null and archived_at is null`,
);
const update = statement<EnvironmentRow>(
  'environments.update',
  // A name that stays keeps its key: where names were told apart by case before, it is not the name's own.
  `update environments set name = $3, name_key = case when name = $3 then name_key else $13 end, description = $4,
     host_id = $5, server_attachment_id = $6, model_id = $7, skill_ids = $8, secret_ids = $9,
     plugin_version_ids = $10, sandbox_image_id = $11, composition = $12,
     archived_at = case when $14 then coalesce(archived_at, now()) end, revision = revision + 1, updated_at = now()
   where project_id = $2 and id = $1 returning ${columns}`,
);

/** Those with a name. */
export function listEnvironmentRows(
  db: Db,
  projectId: string,
  withArchived: boolean,
  after: string,
  most: number,
): Promise<EnvironmentRow[]> {
  return db.rows(withArchived ? listNamed : listLive, [projectId, after, most]);
}

export function findEnvironment(db: Db, projectId: string, id: string): Promise<EnvironmentRow | undefined> {
  return db.row(find, [projectId, id]);
}

/** Writers of one environment follow each other, so that the revision they compare is the one they replace. */
export function lockEnvironment(db: Db, projectId: string, id: string): Promise<EnvironmentRow | undefined> {
  return db.row(lock, [projectId, id]);
}

export type EnvironmentFields = Composition &
  Pick<EnvironmentRow, 'id' | 'projectId' | 'name' | 'description'>;

/** Undefined when one with the same content was made on the fly already. */
export function insertEnvironment(
  db: Db,
  fields: EnvironmentFields,
  composition: string,
): Promise<EnvironmentRow | undefined> {
  return db.row(insert, values(fields, composition));
}

export function findAdhoc(
  db: Db,
  projectId: string,
  composition: string,
): Promise<EnvironmentRow | undefined> {
  return db.row(adhoc, [projectId, composition]);
}

export async function updateEnvironmentRow(
  db: Db,
  fields: EnvironmentFields,
  composition: string,
  archived: boolean,
): Promise<EnvironmentRow> {
  return (await db.row(update, [...values(fields, composition), archived])) as EnvironmentRow;
}

function values(fields: EnvironmentFields, composition: string): unknown[] {
  const { id, projectId, name, description, hostId, serverAttachmentId, modelId } = fields;
  const { skillIds, secretIds, pluginVersionIds, sandboxImageId } = fields;
  return [
    id,
    projectId,
    name,
    description,
    hostId,
    serverAttachmentId,
    modelId,
    skillIds,
    secretIds,
    pluginVersionIds,
    sandboxImageId,
    composition,
    name === null ? null : nameKey(name),
  ];
}
