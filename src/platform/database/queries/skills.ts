import {
  bigint,
  bytes,
  flag,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import type { Db } from '../database.ts';
import { query } from '../query.ts';

const pins = table('skills', {
  id: text,
  name: text,
  aggregateHash: text,
  sharing: oneOf<'user' | 'project'>(),
  ownerId: orNull(text),
  pluginVersionId: orNull(text),
});
const skills = table(
  'skills',
  {
    ...pins.columns,
    projectId: text,
    description: text,
    provenance: text,
    createdAt: time,
    updatedAt: time,
  },
  { content: text, frontmatter: json<Record<string, unknown>>() },
);
const files = table('skill_files', { skillId: text, path: text, content: bytes });

const more = `exists (select from skill_files f where f.skill_id = s.id) as "hasFiles",
  s.frontmatter <> '{}' as "hasExtraFrontmatter"`;
/** Whether a skill can be pinned, and the version that a pin references. */
const pin = { ...pins.columns, hasFiles: flag, hasExtraFrontmatter: flag };
export type SkillPinRow = RowOf<typeof pin>;
const row = { ...skills.columns, ...pin };
export type SkillRow = RowOf<typeof row>;

// Skills of earlier plugin versions are kept for pins; only those of the active version are current. Pass a parameter
// where possible: it is looked up once in plugins_project, while a column may scan all plugins.
const current = (projectId: string): string => `(s.plugin_version_id is null
     or exists (select from plugins p where p.active_version_id = s.plugin_version_id and p.project_id = ${projectId}))`;
const visible = `s.project_id = :projectId and (s.sharing = 'project' or s.owner_id = :userId)`;
const viewer = { projectId: text, userId: text };

/** The skills of a project that are visible to this user. */
export const list = query(
  'skills.list',
  `select ${skills.all('s')}, ${more} from skills s where ${visible} and ${current(':projectId')} and s.id > :after
   order by s.id limit :most`,
  { ...viewer, after: text, most: bigint },
  row,
  { index: 'skills_project' },
);
export const find = query(
  'skills.find',
  `select ${skills.all('s')}, ${more}, s.content from skills s where ${visible} and s.id = :id`,
  { ...viewer, id: text },
  { ...row, content: text },
);
/** Existing skills among these IDs in the project, including personal ones. */
export const pinning = query(
  'skills.pinning',
  `select ${pins.all('s')}, ${more} from skills s where s.project_id = :projectId and s.id = any(:ids) order by s.id`,
  { projectId: text, ids: texts },
  pin,
);
/** The pinned skills of a run and those of pinned plugins, with their content. */
export const contents = query(
  'skills.contents',
  `select s.name, s.description, s.content from skills s
   where s.project_id = :projectId and (s.id = any(:ids) or s.plugin_version_id = any(:pluginVersionIds))
   order by s.name, s.id`,
  { projectId: text, ids: texts, pluginVersionIds: texts },
  { name: text, description: text, content: text },
);
/** Lists skills for the operator: of one project, or of all. */
export const everywhere = query(
  'skills.everywhere',
  `select ${skills.all('s')}, ${more}, u.email from skills s left join users u on u.id = s.owner_id
     join projects p on p.id = s.project_id and p.deleted_at is null
   where (:projectId::text is null or s.project_id = :projectId) and ${current('s.project_id')} order by s.project_id, s.id`,
  { projectId: orNull(text) },
  { ...row, email: orNull(text) },
);
/**
 * Locks the authored skill with this name, either personal or shared, until the transaction ends. Excludes skills of
 * plugins.
 */
export const lockAuthored = query(
  'skills.authored',
  `select id from skills where project_id = :projectId and name = :name and plugin_version_id is null
     and owner_id is not distinct from :ownerId for update`,
  skills.pick(['projectId', 'name', 'ownerId']),
  { id: text },
);
export const lock = query(
  'skills.removable',
  `select p.organization_id as "organizationId", s.plugin_version_id as "pluginVersionId"
   from skills s join projects p on p.id = s.project_id and p.deleted_at is null where s.id = :id for update of s`,
  { id: text },
  { organizationId: text, pluginVersionId: orNull(text) },
);
export const remove = query('skills.delete', 'delete from skills where id = :id', { id: text });

const placed = ['id', 'projectId', 'ownerId', 'pluginVersionId'] as const;
const written = ['description', 'content', 'frontmatter', 'aggregateHash'] as const;
const made = [...placed, 'sharing', 'provenance', 'name', ...written] as const;
const insertRow = query('skills.insert', skills.insert(made), skills.pick(made));
const update = query(
  'skills.replace',
  `update skills set ${skills.set(written)}, updated_at = now() where id = :id`,
  skills.pick(['id', ...written]),
);
const clearFiles = query('skills.clear-files', 'delete from skill_files where skill_id = :id', { id: text });
const insertFile = query('skills.insert-file', files.insert(['skillId', 'path', 'content']), files.columns);

const content = skills.pick(['name', ...written]);
/** `frontmatter` excludes name and description. */
export type SkillText = RowOf<typeof content> & { files: ReadonlyMap<string, Buffer> };

export async function insert(
  db: Db,
  place: Pick<SkillRow, (typeof placed)[number]>,
  skill: SkillText,
): Promise<void> {
  const sharing = place.ownerId === null ? 'project' : 'user';
  const provenance = place.pluginVersionId === null ? 'authored' : 'plugin';
  await db.run(insertRow, { ...place, ...skill, sharing, provenance });
  await insertFiles(db, place.id, skill);
}

export async function replace(db: Db, id: string, skill: SkillText): Promise<void> {
  await db.run(update, { ...skill, id });
  await db.run(clearFiles, { id });
  await insertFiles(db, id, skill);
}

async function insertFiles(db: Db, skillId: string, skill: SkillText): Promise<void> {
  for (const [path, content] of skill.files) await db.run(insertFile, { skillId, path, content });
}
