import { listSkillRows } from '../../platform/database/queries/skills.ts';
import type { Verb } from '../verb.ts';
import { presentSkill } from './present.ts';

export const listProjectSkills: Verb<'listProjectSkills'> = async ({ db, project, actor }) => {
  const rows = await listSkillRows(db, project.id, actor.user.id);
  return { items: rows.map((row) => presentSkill(row, actor.user.id)) };
};
