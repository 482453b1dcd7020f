import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import * as skills from '../../platform/database/queries/skills.ts';
import type { Files } from '../../platform/folder.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { parseSkill } from '../skills/parse.ts';
import { projectNamed, userNamed, writeAsOperator } from './find.ts';

interface SkillPlace {
  /** ID or name; default: the Default project. */
  project?: string | undefined;
  /** Owner of a personal skill, by ID or email address; default: shared with the project. */
  owner?: string | undefined;
}

/** Adds a skill, or replaces the content of the existing one with that name. */
export async function addSkill(
  db: Db,
  files: Files,
  place: SkillPlace = {},
): Promise<{ id: string; name: string; replaced: boolean }> {
  const skill = parseSkill(files);
  const project = await projectNamed(db, place.project);
  const owner = place.owner === undefined ? undefined : await userNamed(db, place.owner);
  if (owner) {
    const known = await db.rows(members.list, { organizationId: project.organizationId });
    if (!known.some(({ userId }) => userId === owner.id))
      throw new OperatorProblem(`${owner.email} is not a member of the project's organization`);
  }
  const where = { projectId: project.id, ownerId: owner?.id ?? null };
  return writeAsOperator(db, project, async (trx) => {
    const existing = await trx.row(skills.lockAuthored, { ...where, name: skill.name });
    const id = existing?.id ?? newId('skl');
    if (existing) await skills.replace(trx, id, skill);
    else await skills.insert(trx, { id, ...where, pluginVersionId: null }, skill);
    await auditOperator(trx, existing ? 'skill.replace' : 'skill.add', id, project.organizationId);
    return { id, name: skill.name, replaced: existing !== undefined };
  });
}

/** Lists the skills of one project, or of all if none is given. */
export async function listSkills(db: Db, project: string | undefined) {
  const projectId = project === undefined ? null : (await projectNamed(db, project)).id;
  return db.rows(skills.everywhere, { projectId });
}

export async function removeSkill(db: Db, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const skill = await trx.row(skills.lock, { id });
    if (!skill) throw new OperatorProblem(`No skill ${id}. See: drydock skills list`);
    if (skill.pluginVersionId !== null) {
      const { name } = await trx.one(plugins.nameOf, { versionId: skill.pluginVersionId });
      throw new OperatorProblem(`This skill belongs to the plugin ${name}; change the plugin`);
    }
    await trx.run(skills.remove, { id });
    await auditOperator(trx, 'skill.remove', id, skill.organizationId);
  });
}
