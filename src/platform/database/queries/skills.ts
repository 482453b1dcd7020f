import { type Db, statement } from '../database.ts';

/** What decides whether a skill can be pinned, and what a pin refers to. */
export interface SkillPinRow {
  id: string;
  name: string;
  aggregateHash: string;
  sharing: 'user' | 'project';
  ownerId: string | null;
  hasFiles: boolean;
  hasExtraFrontmatter: boolean;
  pluginVersionId: string | null;
}

export interface SkillRow extends SkillPinRow {
  projectId: string;
  description: string;
  provenance: string;
  createdAt: number;
  updatedAt: number;
}

const pinColumns = `s.id, s.name, s.aggregate_hash as "aggregateHash", s.sharing, s.owner_id as "ownerId", s.plugin_version_id as "pluginVersionId",
  exists (select from skill_files f where f.skill_id = s.id) as "hasFiles",
  s.frontmatter <> '{}' as "hasExtraFrontmatter"`;
const columns = `${pinColumns}, s.project_id as "projectId", s.description, s.provenance, s.created_at as "createdAt", s.updated_at as "updatedAt"`;

// Of a plugin that was updated, the skills of earlier versions are still there for those who pinned them.
const current = `(s.plugin_version_id is null
     or exists (select from plugins p where p.active_version_id = s.plugin_version_id and p.project_id = s.project_id))`;
const visible = `s.project_id = $1 and (s.sharing = 'project' or s.owner_id = $2)`;

// Both served by skills_project.
const list = statement<SkillRow>(
  'skills.list',
  `select ${columns} from skills s where ${visible} and ${current} and s.id > $3 order by s.id limit $4`,
);
const find = statement<SkillRow & { content: string }>(
  'skills.find',
  `select ${columns}, s.content from skills s where ${visible} and s.id = $3`,
);
const pinning = statement<SkillPinRow>(
  'skills.pinning',
  `select ${pinColumns} from skills s where s.project_id = $1 and s.id = any($2) order by s.id`,
);

/** The skills of a project that this user sees. */
export function listSkillRows(
  db: Db,
  projectId: string,
  userId: string,
  after: string,
  most: number,
): Promise<SkillRow[]> {
  return db.rows(list, [projectId, userId, after, most]);
}

export function findSkill(
  db: Db,
  projectId: string,
  userId: string,
  id: string,
): Promise<(SkillRow & { content: string }) | undefined> {
  return db.row(find, [projectId, userId, id]);
}

/** Those of the ids that exist in the project, personal ones included. */
export function skillsForPinning(db: Db, projectId: string, ids: string[]): Promise<SkillPinRow[]> {
  return db.rows(pinning, [projectId, ids]);
}

const everywhere = statement<SkillRow & { email: string | null }>(
  'skills.everywhere',
  `select ${columns}, u.email from skills s left join users u on u.id = s.owner_id
     join projects p on p.id = s.project_id and p.deleted_at is null
   where ($1::text is null or s.project_id = $1) and ${current} order by s.project_id, s.id`,
);

/** For the operator: of one project, or of all. */
export function listEverySkill(
  db: Db,
  projectId: string | null,
): Promise<(SkillRow & { email: string | null })[]> {
  return db.rows(everywhere, [projectId]);
}

const authored = statement<{ id: string }>(
  'skills.authored',
  `select id from skills where project_id = $1 and name = $2 and plugin_version_id is null
     and owner_id is not distinct from $3 for update`,
);
const insert = statement(
  'skills.insert',
  `insert into skills (id, project_id, name, description, sharing, owner_id, provenance, content, frontmatter,
     aggregate_hash, plugin_version_id)
   values ($1, $2, $3, $4, case when $5::text is null then 'project' else 'user' end, $5,
     case when $9::text is null then 'authored' else 'plugin' end, $6, $7, $8, $9)`,
);
const replace = statement(
  'skills.replace',
  `update skills set description = $2, content = $3, frontmatter = $4, aggregate_hash = $5, updated_at = now()
   where id = $1`,
);
const clearFiles = statement('skills.clear-files', 'delete from skill_files where skill_id = $1');
const insertFile = statement(
  'skills.insert-file',
  'insert into skill_files (skill_id, path, content) values ($1, $2, $3)',
);
const removable = statement<{ organizationId: string; pluginVersionId: string | null }>(
  'skills.removable',
  `select p.organization_id as "organizationId", s.plugin_version_id as "pluginVersionId"
   from skills s join projects p on p.id = s.project_id and p.deleted_at is null where s.id = $1 for update of s`,
);
const remove = statement('skills.delete', 'delete from skills where id = $1');

export interface SkillText {
  name: string;
  description: string;
  content: string;
  /** The fields besides name and description. */
  frontmatter: Record<string, unknown>;
  aggregateHash: string;
  files: ReadonlyMap<string, Buffer>;
}

/** The skill with this name that no plugin brought: the owner's own, or the shared one. Held until the transaction ends. */
export async function lockAuthoredSkill(
  db: Db,
  projectId: string,
  name: string,
  ownerId: string | null,
): Promise<string | undefined> {
  return (await db.row(authored, [projectId, name, ownerId]))?.id;
}

export async function insertSkill(
  db: Db,
  place: { id: string; projectId: string; ownerId: string | null; pluginVersionId: string | null },
  skill: SkillText,
): Promise<void> {
  const { name, description, content, frontmatter, aggregateHash } = skill;
  await db.run(insert, [
    place.id,
    place.projectId,
    name,
    description,
    place.ownerId,
    content,
    JSON.stringify(frontmatter),
    aggregateHash,
    place.pluginVersionId,
  ]);
  await insertFiles(db, place.id, skill);
}

export async function replaceSkill(db: Db, id: string, skill: SkillText): Promise<void> {
  const { description, content, frontmatter, aggregateHash } = skill;
  await db.run(replace, [id, description, content, JSON.stringify(frontmatter), aggregateHash]);
  await db.run(clearFiles, [id]);
  await insertFiles(db, id, skill);
}

async function insertFiles(db: Db, id: string, { files }: SkillText): Promise<void> {
  for (const [path, content] of files) await db.run(insertFile, [id, path, content]);
}

export function lockSkill(
  db: Db,
  id: string,
): Promise<{ organizationId: string; pluginVersionId: string | null } | undefined> {
  return db.row(removable, [id]);
}

export async function deleteSkill(db: Db, id: string): Promise<void> {
  await db.run(remove, [id]);
}
